# Reads comparisons.csv beside this file, pools what two or more studies say of the same outcome at the same time, and
# writes pooled.csv and a forest plot for each. Needs the package metafor:  Rscript analysis.R
suppressPackageStartupMessages(library(metafor))
options(warn = 1)
text <- c("study", "outcome", "timepoint", "intervention", "comparator", "kind", "measure", "state")
types <- function(file) {
  names <- names(read.csv(file, nrows = 1, check.names = FALSE))
  setNames(ifelse(names %in% text, "character", "numeric"), names)
}
data <- read.csv("comparisons.csv", colClasses = types("comparisons.csv"), check.names = FALSE, na.strings = "")
data$timepoint[is.na(data$timepoint)] <- ""
# Comparisons of one study that share a control group each count their part of it.
control <- paste(data$document_id, data$outcome, data$timepoint, data$comparator, data$kind)
shared <- as.numeric(table(control)[control])
part <- ifelse(data$kind == "reported", 1, shared)
data$ci <- data$ci / part
data$n2i <- ifelse(data$kind == "continuous", floor(data$n2i / part), data$n2i / part)
measures <- list(binary = c("RR", "OR", "RD"), continuous = c("MD", "SMD"))
pooled <- NULL
for (question in unique(paste(data$outcome, data$timepoint, data$kind, sep = "\r"))) {
  rows <- data[paste(data$outcome, data$timepoint, data$kind, sep = "\r") == question, ]
  kind <- rows$kind[1]
  for (measure in if (kind == "reported") unique(rows$measure) else measures[[kind]]) {
    some <- rows
    if (kind == "reported") {
      some <- rows[rows$measure == measure, ]
      effects <- data.frame(yi = some$yi, vi = some$vi)
    } else if (kind == "binary") {
      if (measure != "RD") some <- rows[rows$ai + rows$ci > 0 & rows$ai + rows$ci < rows$n1i + rows$n2i, ]
      if (nrow(some) == 0) next
      effects <- escalc(measure, ai = some$ai, n1i = some$n1i, ci = some$ci, n2i = some$n2i)
    } else {
      effects <- escalc(measure, m1i = some$m1i, sd1i = some$sd1i, n1i = some$n1i,
        m2i = some$m2i, sd2i = some$sd2i, n2i = some$n2i)
    }
    if (nrow(some) < 2) next
    yi <- as.numeric(effects$yi)
    vi <- as.numeric(effects$vi)
    common <- rma(yi, vi, method = "EE")
    random <- rma(yi, vi, method = "REML", control = list(threshold = 1e-8, maxiter = 10000))
    pooled <- rbind(pooled, data.frame(outcome = rows$outcome[1], timepoint = rows$timepoint[1], measure = measure,
      studies = length(yi), common = as.numeric(common$b), common_low = common$ci.lb, common_high = common$ci.ub,
      random = as.numeric(random$b), random_low = random$ci.lb, random_high = random$ci.ub,
      q = random$QE, i2 = random$I2, tau2 = random$tau2))
    svg(sprintf("forest_%02d.svg", nrow(pooled)), width = 9, height = 2.5 + 0.3 * length(yi))
    forest(random, slab = some$study, header = TRUE, xlab = measure,
      transf = if (measure %in% c("RR", "OR", "HR")) exp else FALSE)
    title(paste(rows$outcome[1], rows$timepoint[1]))
    invisible(dev.off())
  }
}
if (is.null(pooled)) {
  cat("No outcome has two studies at the same time, so there is nothing to pool.\n")
} else {
  write.csv(pooled, "pooled.csv", row.names = FALSE)
  print(pooled, digits = 4)
}
