#' Publish, and what comes before it
#'
#' \code{publish} turns trips into a release and spends budget: the ledger is charged before the first random bit is drawn.
#' \code{inspect_trips} and \code{publish(dry_run = TRUE)} give true figures, for the curator alone; \code{plan_release}
#' says what a release would be good for and reads no data. \code{export_release} turns a release into a file for other
#' programs.
#'
#' Fields have the names of the command line's flags with underscores: \code{max_trips_per_user = 4}. What can be repeated
#' there is a vector here.
#'
#' @param data a file, or a data frame, which is written to a private file for the time of the call
#' @param to the release or the file to make
#' @param epsilon of the release
#' @param ledger the file that keeps these people's budget
#' @param budget all that may ever be spent, for a new ledger
#' @param bbox,grid where trips may be (west, south, east, north), and how many cells the map has
#' @param ... more fields: \code{unit}, \code{max_trips_per_user}, \code{shape_of}, \code{user}, \code{time},
#'   \code{zones}, \code{stops}, \code{mechanism}, ...
#' @param dry_run all checks and true figures; nothing is spent or written
#' @param threads how many threads; 0 is all, and never changes a result
#' @param progress whether phases are shown
#' @param quiet says nothing but warnings
#' @param private_notes true figures on stderr: \code{"auto"} (only on a screen), \code{"always"}, \code{"never"}
#' @param release from \code{open_release}, or its path
#' @param as \code{"csv"}, \code{"geojson"}, \code{"gpkg"}, \code{"omx"}, \code{"zones"}, \code{"trips"}, ...
#' @return \code{publish}: the release, opened. The others: a list.
#' @examples
#' \dontrun{
#' city <- publish("trips.csv", "city.odr", epsilon = 1, ledger = "city.ledger", budget = 2, unit = "trip",
#'                 shape_of = "trips", bbox = c(-122.52, 37.70, -122.36, 37.84), grid = c(64, 64))
#' export_release(city, "gpkg", "city.gpkg")
#' }
#' @export
publish <- function(data, to, epsilon, ledger, budget = NULL, bbox = NULL, grid = NULL, ..., dry_run = FALSE, threads = 0,
                    progress = interactive(), quiet = FALSE, private_notes = "auto") {
  input <- input_of(data)
  on.exit(input$remove())
  fields <- list(input = input$path, output = to, epsilon = epsilon, ledger = ledger, budget = budget, bbox = bbox,
                 grid = grid, ...)
  result <- run_job(if (dry_run) "dry_run" else "publish", fields, threads, progress, quiet, private_notes)
  if (dry_run) result else open_release(to)
}

#' @rdname publish
#' @export
inspect_trips <- function(data, ..., threads = 0) {
  input <- input_of(data)
  on.exit(input$remove())
  run_job("inspect", list(input = input$path, ...), threads, FALSE, TRUE)
}

#' @rdname publish
#' @export
plan_release <- function(..., threads = 0) run_job("plan", list(...), threads, FALSE, TRUE)

#' @rdname publish
#' @export
export_release <- function(release, as, to, ..., threads = 0) {
  path <- if (inherits(release, "stopover_release")) release$path else release
  invisible(run_job("export", list(release = path, as = as, output = to, ...), threads, FALSE, TRUE))
}

# A data frame as a file that only this user can read; R's own temporary folder is private too.
input_of <- function(data) {
  if (is.character(data)) return(list(path = path.expand(data), remove = function() NULL))
  if (!is.data.frame(data)) stop("data must be a file or a data frame", call. = FALSE)
  if (inherits(data, "sf")) {
    need_sf()
    places <- sf::st_coordinates(sf::st_transform(sf::st_geometry(data), 4326))
    data <- cbind(sf::st_drop_geometry(data), lng = places[, 1], lat = places[, 2])
  }
  for (name in names(data)) {
    if (inherits(data[[name]], "POSIXt")) data[[name]] <- format(data[[name]], "%Y-%m-%dT%H:%M:%OS3Z", tz = "UTC")
    if (is.double(data[[name]])) data[[name]] <- ifelse(is.na(data[[name]]), NA, sprintf("%.17g", data[[name]]))
  }
  path <- tempfile("stopover-", fileext = ".csv")
  mask <- Sys.umask("077")
  on.exit(Sys.umask(mask))
  quoted <- which(vapply(data, function(column) is.character(column) || is.factor(column), TRUE))
  utils::write.table(data, path, sep = ",", row.names = FALSE, na = "", quote = quoted, qmethod = "double",
                     fileEncoding = "UTF-8")
  list(path = path, remove = function() unlink(path))
}
