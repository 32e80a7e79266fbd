# A small city, published once for all tests, and the program whose digits are compared.

scratch <- tempfile("stopover-r-")
dir.create(scratch)
Sys.setenv(XDG_STATE_HOME = file.path(scratch, "state"))

trips_frame <- function(n = 4000) {
  set.seed(7)
  data.frame(trip = rep(seq_len(n), each = 2), seq = rep(1:2, times = n),
             lat = 37.77 + rep(stats::rnorm(n, 0, 0.02), each = 2) + stats::rnorm(2 * n, 0, 0.005),
             lng = -122.44 + rep(stats::rnorm(n, 0, 0.02), each = 2) + stats::rnorm(2 * n, 0, 0.005))
}

city_path <- file.path(scratch, "city.odr")

publish_city <- function(to = city_path, ...) {
  publish(trips_frame(), to, epsilon = 1, ledger = file.path(scratch, "city.ledger"), budget = 5, unit = "trip",
          shape_of = "stops", trip = "trip", seq = "seq", stops = "od", bbox = c(-122.52, 37.70, -122.36, 37.84),
          grid = c(64, 64), quiet = TRUE, ...)
}

city <- publish_city()

program <- function() {
  path <- Sys.getenv("STOPOVER_PROGRAM", Sys.which("stopover"))
  if (!nzchar(path) || !file.exists(path)) skip("no program stopover to compare with: set STOPOVER_PROGRAM")
  path
}

# What the command line says, as a list.
typed <- function(...) {
  out <- system2(program(), shQuote(c(..., "--json")), stdout = TRUE, stderr = FALSE)
  jsonlite::fromJSON(paste(out, collapse = "\n"), simplifyVector = FALSE)
}

zones_file <- function() {
  square <- function(name, w, s) {
    corner <- function(x, y) sprintf("[%s,%s]", w + x * 0.04, s + y * 0.035)
    ring <- paste(corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1), corner(0, 0), sep = ",")
    sprintf('{"type":"Feature","properties":{"name":"%s"},"geometry":{"type":"Polygon","coordinates":[[%s]]}}', name, ring)
  }
  path <- file.path(scratch, "zones.geojson")
  writeLines(sprintf('{"type":"FeatureCollection","features":[%s]}',
                     paste(square("west", -122.48, 37.75), square("east", -122.44, 37.75), sep = ",")), path)
  path
}
