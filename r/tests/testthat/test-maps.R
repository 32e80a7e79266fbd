skip_if_not_installed("sf")

test_that("maps and flows carry their intervals", {
  map <- stops_sf(city, "origin")
  expect_s3_class(map, "sf")
  expect_true(all(c("estimate", "noise_lower", "noise_upper") %in% names(map)))
  expect_equal(sum(map$estimate), count_trips(city)$estimate, tolerance = 1e-6)
  flows <- flows_sf(city, 20)
  expect_lte(nrow(flows), 20)
  expect_false(is.unsorted(-flows$estimate))
})

test_that("zones of sf and of a file are the same", {
  file <- zones_file()
  zones <- sf::st_read(file, quiet = TRUE)
  expect_identical(od_table(city, zones = zones)$estimate, od_table(city, zones = file)$estimate)
  expect_identical(zones_sf(city, zones)$estimate, zones_sf(city, file)$estimate)
  west <- zones[zones$name == "west", ]
  expect_identical(count_trips(city, origin = polygon_of(west))$estimate,
                   count_trips(city, origin = zone("west"), zones = file)$estimate)
})

test_that("flows are drawn", {
  picture <- file.path(scratch, "flows.png")
  grDevices::png(picture, 700, 700)
  drawn <- plot(city, flows = 30)
  grDevices::dev.off()
  expect_gt(nrow(drawn), 0)
  expect_gt(file.size(picture), 5000)
})
