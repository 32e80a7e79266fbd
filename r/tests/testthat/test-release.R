test_that("a release is shown and closed", {
  expect_output(print(city), "epsilon 1")
  expect_output(print(city), "origin, destination")
  other <- open_release(city_path)
  close(other)
  expect_error(count_trips(other), "closed")
})

test_that("errors have the command line's codes and words", {
  wrong <- tryCatch(open_release(file.path(scratch, "none.odr")), stopover_error = identity)
  expect_s3_class(wrong, "stopover_bad_input")
  expect_identical(wrong$code, 3L)
  expect_error(count_trips(city, nowhere = "anywhere"), class = "stopover_usage")
  expect_error(count_trips(city, circle(1, 2, 3)), "names of stops")
  expect_error(publish_city(), class = "stopover_output_exists")
  wrong <- tryCatch(publish(trips_frame(10), file.path(scratch, "x.odr"), epsilon = 9,
                            ledger = file.path(scratch, "city.ledger"), unit = "trip", shape_of = "stops", trip = "trip",
                            seq = "seq", stops = "od", bbox = c(-122.52, 37.70, -122.36, 37.84), grid = c(64, 64),
                            quiet = TRUE), stopover_error = identity)
  expect_s3_class(wrong, "stopover_privacy")
  expect_false(file.exists(file.path(scratch, "x.odr")))
})

test_that("true figures stay with the curator", {
  said <- capture.output(dry <- publish(trips_frame(100), file.path(scratch, "dry.odr"), epsilon = 0.1,
                                        ledger = file.path(scratch, "city.ledger"), unit = "trip", shape_of = "stops",
                                        trip = "trip", seq = "seq", stops = "od", dry_run = TRUE, progress = FALSE,
                                        bbox = c(-122.52, 37.70, -122.36, 37.84), grid = c(64, 64)), type = "message")
  expect_type(dry, "list")
  expect_false(any(grepl("100 trips", said)))
  expect_false(file.exists(file.path(scratch, "dry.odr")))
  expect_length(list.files(tempdir(), "^stopover-.*csv$"), 0)
})

test_that("a file gives what its data frame gives", {
  trips <- trips_frame(300)
  trips$lat <- round(trips$lat * 1024) / 1024 # few digits: R's own CSV has 15
  trips$lng <- round(trips$lng * 1024) / 1024
  about <- inspect_trips(trips, shape_of = "stops", trip = "trip", seq = "seq", stops = "od", unit = "trip",
                         bbox = c(-122.52, 37.70, -122.36, 37.84), grid = c(64, 64))
  file <- file.path(scratch, "trips.csv")
  utils::write.csv(trips, file, row.names = FALSE)
  again <- inspect_trips(file, shape_of = "stops", trip = "trip", seq = "seq", stops = "od", unit = "trip",
                         bbox = c(-122.52, 37.70, -122.36, 37.84), grid = c(64, 64))
  about$input <- again$input <- about$source <- again$source <- NULL
  expect_gt(length(about), 3)
  expect_equal(about, again)
})

test_that("a plan reads no data", {
  forecast <- plan_release(n = 100000, stops = 2, grid = c(100, 100), extent_km = 20, epsilon = 1, unit = "trip")
  expect_type(forecast, "list")
})

test_that("regions print, and are joined", {
  expect_output(print(circle(1, 2, km = 3) & time_of_day("07:00-09:00")), "all_of")
  expect_output(print(anywhere()), "\\{\\}")
  expect_error(circle(1, 2, 3) + 1, "joined with")
})
