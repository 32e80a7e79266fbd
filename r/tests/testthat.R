library(testthat)
library(stopover)

test_check("stopover")
