# The conversions, written a second time in R from the published formulas. Rscript conversions.R > conversions.csv
say <- function(name, inputs, ...) cat(name, paste(sprintf("%.15g", inputs), collapse = " "),
  paste(sprintf("%.15g", c(...)), collapse = " "), sep = ",", fill = FALSE)
line <- function(...) { say(...); cat("\n") }
cat("formula,inputs,outputs\n")
for (x in list(c(2.1, 30), c(0.35, 144), c(11, 2))) line("sd_from_se", x, x[1] * sqrt(x[2]))
for (x in list(c(30, 34.2, 25, 95), c(4.5, 5.5, 250, 95), c(-3, -1, 101, 90), c(-3, -1, 100, 90), c(0.2, 0.9, 2, 99))) {
  half <- (1 + x[4] / 100) / 2
  z <- if (x[3] <= 100) qt(half, x[3] - 1) else qnorm(half)
  line("sd_from_ci", x, sqrt(x[3]) * (x[2] - x[1]) / (2 * z))
}
for (x in list(c(3.8, 2.78), c(-1.5, 4.1))) line("se_from_t", x, abs(x[1] / x[2]))
for (x in list(c(3.8, 0.008, 48), c(-0.6, 0.32, 12))) line("se_from_p", x, abs(x[1]) / qt(1 - x[2] / 2, x[3]))
for (x in list(c(1.37, 25, 22), c(0.4, 120, 118))) line("sd_from_se_of_difference", x, x[1] / sqrt(1 / x[2] + 1 / x[3]))
for (x in list(c(3.8, 0.008, 25, 22), c(-0.6, 0.32, 12, 9))) {
  se <- abs(x[1]) / qt(1 - x[2] / 2, x[3] + x[4] - 2)
  line("sd_from_p", x, se / sqrt(1 / x[3] + 1 / x[4]))
}
for (x in list(c(3.8, 2.78, 25, 22), c(-1.5, 4.1, 60, 61))) line("sd_from_t", x, abs(x[1] / x[2]) / sqrt(1 / x[3] + 1 / x[4]))
for (x in list(c(30, 34.2, 48, 95), c(-3, -1, 0, 90))) {
  half <- (1 + x[4] / 100) / 2
  line("se_from_ci", x, (x[2] - x[1]) / (2 * if (x[3] > 0) qt(half, x[3]) else qnorm(half)))
}
for (x in list(c("26.7", 45), c("100.0", 12), c("33.3", 3))) {
  fits <- which(sprintf("%.1f", 100 * 0:as.numeric(x[2]) / as.numeric(x[2])) == x[1]) - 1
  line("events_from_percent", as.numeric(x), fits)
}
line("mean_of_change", c(12.5, 20.25), 12.5 - 20.25)
for (x in list(c(4, 12, 31, 25), c(0, 5, 40, 200), c(1, 2, 3, 9))) {
  n <- x[4]; w <- 4 / (4 + n^0.75)
  line("from_range", x, w * (x[1] + x[3]) / 2 + (1 - w) * x[2], (x[3] - x[1]) / (2 * qnorm((n - 0.375) / (n + 0.25))))
}
for (x in list(c(10, 14, 20, 60), c(0.5, 1.1, 3.9, 401), c(1, 2, 3, 5))) {
  n <- x[4]; w <- 0.7 + 0.39 / n
  line("from_quartiles", x, w * (x[1] + x[3]) / 2 + (1 - w) * x[2], (x[3] - x[1]) / (2 * qnorm((0.75 * n - 0.125) / (n + 0.25))))
}
for (x in list(c(1, 10, 14, 20, 44, 60), c(0, 0.5, 1.1, 3.9, 12, 401))) {
  n <- x[6]; a <- 2.2 / (2.2 + n^0.75); b <- 0.7 - 0.72 / n^0.55
  line("from_quartiles_and_range", x, a * (x[1] + x[5]) / 2 + b * (x[2] + x[4]) / 2 + (1 - a - b) * x[3],
    (x[5] - x[1]) / (4 * qnorm((n - 0.375) / (n + 0.25))) + (x[4] - x[2]) / (4 * qnorm((0.75 * n - 0.125) / (n + 0.25))))
}
for (x in list(c(4.2, 3.9, 0.7), c(10, 12, 0), c(3, 3, 1))) line("sd_of_change", x, sqrt(x[1]^2 + x[2]^2 - 2 * x[3] * x[1] * x[2]))
for (x in list(c(25, 10.2, 3.1, 30, 12.4, 2.8), c(8, -1, 0.5, 8, -1, 0.5))) {
  # From the sums themselves and not from the formula: the mean and SD of all people together.
  n <- x[1] + x[4]; mean <- (x[1] * x[2] + x[4] * x[5]) / n
  squares <- (x[1] - 1) * x[3]^2 + x[1] * x[2]^2 + (x[4] - 1) * x[6]^2 + x[4] * x[5]^2
  line("combined_arms", x, n, mean, sqrt((squares - n * mean^2) / (n - 1)))
}
line("shared_control", c(45, 3), 45 / 3)
