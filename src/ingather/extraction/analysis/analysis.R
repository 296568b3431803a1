# Reads comparisons.csv beside this file, pools what two or more studies say of the same question, and writes
# pooled.csv, lines.csv (what each plot shows) and forest plots into plots_R. Needs the package metafor.
# In the unpacked folder:  Rscript analysis.R
suppressPackageStartupMessages(library(metafor))
options(warn = 1)
text <- c("study", "outcome", "timepoint", "intervention", "comparator", "kind", "scores", "measure", "state")
types <- function(file) {
  names <- names(read.csv(file, nrows = 1, check.names = FALSE))
  setNames(ifelse(names %in% text, "character", "numeric"), names)
}
data <- read.csv("comparisons.csv", colClasses = types("comparisons.csv"), check.names = FALSE, na.strings = "")
data$timepoint[is.na(data$timepoint)] <- ""
data <- data[!is.na(data$pool), ] # without those whose people another row counts
# A group that several comparisons of a pool use is divided among them.
continuous <- data$kind == "continuous"
data$ai <- data$ai / data$part1
data$ci <- data$ci / data$part2
data$n1i <- ifelse(continuous, floor(data$n1i / data$part1), data$n1i / data$part1)
data$n2i <- ifelse(continuous, floor(data$n2i / data$part2), data$n2i / data$part2)
measures <- list(binary = c("RR", "OR", "RD"), continuous = c("MD", "SMD"))
dir.create("plots_R", showWarnings = FALSE)

effects_of <- function(rows, measure) {
  switch(rows$kind[1],
    reported = data.frame(yi = rows$yi, vi = rows$vi),
    binary = escalc(measure, ai = rows$ai, n1i = rows$n1i, ci = rows$ci, n2i = rows$n2i),
    continuous = escalc(measure, m1i = rows$m1i, sd1i = rows$sd1i, n1i = rows$n1i,
      m2i = rows$m2i, sd2i = rows$sd2i, n2i = rows$n2i))
}

usable <- function(rows, measure) {
  if (rows$kind[1] == "continuous") return(rows[rows$n1i > 1 & rows$n2i > 1, ])
  if (rows$kind[1] == "reported" || measure == "RD") return(rows)
  rows[rows$ai + rows$ci > 0 & rows$ai + rows$ci < rows$n1i + rows$n2i, ] # a ratio needs events, and people without
}

is_ratio <- function(measure) measure %in% c("RR", "OR", "HR")

shown <- function(value, measure) if (is_ratio(measure)) exp(as.numeric(value)) else as.numeric(value)

draw <- function(rows, measure, common, random) {
  scale <- if (is_ratio(measure)) exp else FALSE # an axis of ratios, as logarithms are pooled
  forest(random, slab = rows$study, header = TRUE, xlab = measure, atransf = scale, showweights = TRUE,
    mlab = "Random effects", ylim = c(-3, nrow(rows) + 3))
  addpoly(common, row = -2, atransf = scale, mlab = "Common effect")
  title(trimws(paste(rows$outcome[1], rows$timepoint[1])))
}

pooled <- NULL
lines <- NULL
for (pool in unique(data$pool)) {
  all_rows <- data[data$pool == pool, ]
  kind <- all_rows$kind[1]
  for (measure in if (kind == "reported") all_rows$measure[1] else measures[[kind]]) {
    rows <- usable(all_rows, measure)
    if (nrow(rows) < 2) next
    effects <- effects_of(rows, measure)
    yi <- as.numeric(effects$yi)
    vi <- as.numeric(effects$vi)
    common <- rma(yi, vi, method = "EE")
    random <- rma(yi, vi, method = "REML", control = list(threshold = 1e-8, maxiter = 10000))
    pooled <- rbind(pooled, data.frame(pool = pool, outcome = rows$outcome[1], timepoint = rows$timepoint[1],
      scores = rows$scores[1], measure = measure, studies = length(yi),
      common = as.numeric(common$b), common_low = common$ci.lb, common_high = common$ci.ub,
      random = as.numeric(random$b), random_low = random$ci.lb, random_high = random$ci.ub,
      q = random$QE, q_p = random$QEp, i2 = random$I2, tau2 = random$tau2,
      # Ratios are pooled as logarithms; the last three columns are the random effect as people read it.
      scale = if (is_ratio(measure)) "logarithm" else "as it stands", estimate = shown(random$b, measure),
      estimate_low = shown(random$ci.lb, measure), estimate_high = shown(random$ci.ub, measure)))
    reach <- qnorm(0.975) * sqrt(vi)
    lines <- rbind(lines, data.frame(pool = pool, measure = measure, comparison = rows$comparison, study = rows$study,
      effect = yi, low = yi - reach, high = yi + reach, weight = as.numeric(weights(random))))
    name <- sprintf("plots_R/forest_%02d_%s", pool, measure)
    height <- 2.8 + 0.3 * length(yi)
    svg(paste0(name, ".svg"), width = 10, height = height)
    draw(rows, measure, common, random)
    invisible(dev.off())
    if (capabilities("cairo")) {
      png(paste0(name, ".png"), width = 10, height = height, units = "in", res = 150, type = "cairo")
      draw(rows, measure, common, random)
      invisible(dev.off())
    }
  }
}
if (is.null(pooled)) {
  cat("No outcome has two studies at the same time, so there is nothing to pool.\n")
} else {
  write.csv(pooled, "pooled.csv", row.names = FALSE)
  write.csv(lines, "lines.csv", row.names = FALSE)
  print(pooled, digits = 4)
}
