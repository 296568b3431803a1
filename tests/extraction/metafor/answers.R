# What R's metafor says of the cases: effects.csv and pooled.csv beside them. Rscript answers.R FOLDER
suppressMessages(library(metafor))
folder <- commandArgs(trailingOnly = TRUE)[1]
cases <- read.csv(file.path(folder, "cases.csv"), check.names = FALSE)
measures <- list(binary = c("RR", "OR", "RD"), continuous = c("MD", "SMD"), ratio = "HR")
effects <- NULL
pooled <- NULL
precise <- function(values) sprintf("%.15g", values)
for (set in unique(cases$set)) {
  rows <- cases[cases$set == set, ]
  for (measure in measures[[rows$kind[1]]]) {
    found <- switch(rows$kind[1],
      binary = escalc(measure, ai = events1, n1i = n1, ci = events2, n2i = n2, data = rows),
      continuous = escalc(measure, m1i = mean1, sd1i = sd1, n1i = n1, m2i = mean2, sd2i = sd2, n2i = n2, data = rows),
      ratio = data.frame(yi = log(rows$estimate), vi = ((log(rows$high) - log(rows$low)) / (2 * qnorm(0.975)))^2))
    effects <- rbind(effects, data.frame(set, measure, study = rows$study, estimate = precise(as.numeric(found$yi)),
      variance = precise(as.numeric(found$vi))))
    for (model in c("EE", "REML")) {
      fit <- rma(as.numeric(found$yi), as.numeric(found$vi), method = model, control = list(threshold = 1e-10, maxiter = 10000))
      pooled <- rbind(pooled, data.frame(set, measure, model, estimate = precise(as.numeric(fit$b)), se = precise(fit$se),
        low = precise(fit$ci.lb), high = precise(fit$ci.ub), p = precise(fit$pval), tau2 = precise(fit$tau2),
        q = precise(fit$QE), q_p = precise(fit$QEp), i2 = precise(fit$I2),
        weights = paste(precise(as.numeric(weights(fit))), collapse = " ")))
    }
  }
}
write.csv(effects, file.path(folder, "effects.csv"), row.names = FALSE, quote = FALSE)
write.csv(pooled, file.path(folder, "pooled.csv"), row.names = FALSE, quote = FALSE)
