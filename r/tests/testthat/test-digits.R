# Every number that R shows is the command line's, to its last digit.

columns <- c("estimate", "lower", "upper", "noise_lower", "noise_upper", "bounds_lower", "bounds_upper")

expect_same <- function(row, said) {
  for (name in columns) expect_identical(row[[name]], as.numeric(said[[name]]), info = name)
}

test_that("counts", {
  said <- typed("query", city_path, "--stop", "origin=circle:37.77,-122.44,2", "--stop",
                "destination=bbox:-122.45,37.75,-122.41,37.79")
  row <- count_trips(city, origin = circle(37.77, -122.44, km = 2), destination = bbox(-122.45, 37.75, -122.41, 37.79))
  expect_same(row, said)
  expect_identical(row$claimed, said$claimed)
  expect_same(count_trips(city, origin = "circle:37.77,-122.44,2", destination = "bbox:-122.45,37.75,-122.41,37.79"), said)
  whole <- typed("query", city_path, "--level", "0.8")
  expect_same(count_trips(city, level = 0.8), whole)
})

test_that("joined regions", {
  said <- typed("query", city_path, "--stop", "origin=circle:37.77,-122.44,2 - bbox:-122.45,37.75,-122.41,37.79")
  expect_same(count_trips(city, origin = circle(37.77, -122.44, 2) - bbox(-122.45, 37.75, -122.41, 37.79)), said)
})

test_that("shares", {
  said <- typed("query", city_path, "--stop", "origin=circle:37.77,-122.44,2", "--share")
  row <- share_trips(city, origin = circle(37.77, -122.44, 2))
  expect_identical(row$share, said$share)
  expect_identical(row$lower, said$share_lower)
})

test_that("tables", {
  zones <- zones_file()
  said <- typed("query", city_path, "--matrix", "origin,destination", "--zones", zones)
  table <- od_table(city, zones = zones)
  expect_identical(names(table)[1:2], c("origin", "destination"))
  expect_identical(table$estimate, as.numeric(unlist(said$estimate)))
  expect_identical(table$upper, as.numeric(unlist(said$upper)))
  wide <- as.matrix(table)
  expect_identical(dimnames(wide), list(c("west", "east"), c("west", "east")))
  expect_identical(wide["west", "east"], as.numeric(said$estimate[[1]][[2]]))

  said <- typed("query", city_path, "--top", "5", "--tiles", "4")
  flows <- top_flows(city, 5, tiles = 4)
  expect_identical(nrow(flows), 5L)
  for (k in 1:5) expect_same(flows[k, ], said$tables[[1]]$rows[[k]])

  said <- typed("query", city_path, "--totals", "--over", "origin", "--zones", zones)
  totals <- stop_totals(city, "origin", zones = zones)
  expect_identical(totals$estimate, vapply(said$tables[[1]]$rows, function(row) as.numeric(row$estimate), 0))
})

test_that("facts", {
  said <- typed("info", city_path)
  about <- summary(city)
  expect_identical(about$content_sha256, said$content_sha256)
  expect_equal(about$epsilon, 1)
})
