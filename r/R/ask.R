#' Ask a release
#'
#' How many trips go through regions, shares, tables over zones or tiles, and the largest flows. Stops that are not named
#' may be anywhere. Numbers are those of the command line, with its twelve digits.
#'
#' @param release from \code{open_release}
#' @param ... regions by the names of stops: \code{origin = circle(37.75, -122.45, km = 3)}
#' @param question a list, as JSON has it: see the guide's page answers
#' @param level how often intervals are meant to hold the truth
#' @param estimates \code{"consistent"}, or \code{"plain"}: the partitions' own noisy counts
#' @param zones zones to ask by: an object of sf, or a GeoJSON file
#' @param zone_name the property (column) that names a zone
#' @param tiles without zones: a stop's map is divided into so many tiles per side
#' @param from,to stops that a table runs over; the first and the last
#' @param stop,stops stops that a table runs over
#' @param n how many rows
#' @param of the whole of a share: a list of regions by the names of stops; all trips
#' @param minus,compare how many more than in these regions (a list), or than in that release
#' @param overlaps whether zones may overlap
#' @param x a table
#' @return \code{count_trips}, \code{share_trips}: a data frame of one row. \code{top_flows}, \code{stop_totals},
#'   \code{od_table}: a data frame with a row for each flow, zone or pair. Columns: \code{estimate}, \code{lower} and
#'   \code{upper} (the interval to act on), \code{noise_lower}, \code{noise_upper}, \code{bounds_lower},
#'   \code{bounds_upper}, \code{claimed}; the attribute \code{notes} has what a reader should know.
#'   \code{as.matrix} of an \code{od_table} has its estimates with a row for each origin.
#'   \code{ask}: the reply as a list.
#' @examples
#' \dontrun{
#' count_trips(city, origin = circle(37.75, -122.45, km = 3), destination = bbox(-122.5, 37.7, -122.4, 37.8))
#' od_table(city, zones = "zones.geojson")
#' top_flows(city, 10, tiles = 8)
#' }
#' @export
ask <- function(release, question, compare = NULL) {
  text <- as_question(question)
  value_of(if (is.null(compare)) .Call(r_ask, release$pointer, text) else
    .Call(r_compare, release$pointer, compare$pointer, text), simplify = FALSE)
}

as_question <- function(question) {
  if (is.character(question)) return(question)
  question <- Filter(Negate(is.null), question)
  if (length(question) == 0) return("{}")
  as.character(jsonlite::toJSON(plain(question), auto_unbox = TRUE, digits = NA))
}

# Regions by stops; texts stay as they are typed.
where_of <- function(regions) {
  if (length(regions) == 0) return(NULL)
  if (is.null(names(regions)) || any(!nzchar(names(regions)))) {
    stop("regions need the names of stops, as in origin = circle(37.75, -122.45, km = 3)", call. = FALSE)
  }
  regions
}

zones_of <- function(zones) {
  if (is.null(zones)) return(NULL)
  if (inherits(zones, c("sf", "sfc"))) return(geojson_of(zones))
  jsonlite::fromJSON(zones, simplifyVector = FALSE)
}

figures <- c("estimate", "lower", "upper", "noise_lower", "noise_upper", "bounds_lower", "bounds_upper")

number <- function(x) if (is.null(x)) NA_real_ else as.numeric(x)

truth <- function(x) if (is.null(x)) NA else as.logical(x)

answer_row <- function(answer) {
  columns <- lapply(figures, function(name) number(answer[[name]]))
  names(columns) <- figures
  data.frame(columns, calibrated = truth(answer$calibrated), claimed = truth(answer$claimed))
}

with_notes <- function(frame, reply) {
  attr(frame, "notes") <- unlist(reply$notes)
  frame
}

#' @rdname ask
#' @export
count_trips <- function(release, ..., level = NULL, estimates = NULL, zones = NULL, zone_name = NULL, minus = NULL,
                        compare = NULL) {
  reply <- ask(release, list(where = where_of(list(...)), level = level, estimates = estimates, zones = zones_of(zones),
                             zone_name = zone_name, minus = minus), compare)
  parts <- intersect(c("count", "minus", "first", "second", "difference"), names(reply))
  if (length(parts) == 0) return(with_notes(answer_row(reply), reply))
  rows <- do.call(rbind, lapply(parts, function(part) answer_row(reply[[part]])))
  with_notes(cbind(data.frame(what = parts), rows), reply)
}

#' @rdname ask
#' @export
share_trips <- function(release, ..., of = NULL, level = NULL, zones = NULL, zone_name = NULL) {
  reply <- ask(release, list(ask = "share", where = where_of(list(...)), of = of, level = level, zones = zones_of(zones),
                             zone_name = zone_name))
  with_notes(data.frame(share = number(reply$share), lower = number(reply$share_lower),
                        upper = number(reply$share_upper), part = number(reply$part$estimate),
                        whole = number(reply$whole$estimate), claimed = truth(reply$claimed)), reply)
}

table_rows <- function(reply) {
  parts <- lapply(reply$tables, function(table) {
    rows <- lapply(table$rows, function(row) {
      places <- unlist(row$names)
      place <- if (length(places) > 0) as.list(places) else list()
      names(place) <- unlist(table$stops)[seq_along(place)]
      cbind(data.frame(place, check.names = FALSE), answer_row(row), share = number(row$share))
    })
    do.call(rbind, rows)
  })
  if (length(parts) == 1) parts[[1]] else parts
}

#' @rdname ask
#' @export
top_flows <- function(release, n = 10, ..., stops = NULL, zones = NULL, zone_name = NULL, tiles = NULL, level = NULL) {
  reply <- ask(release, list(ask = "top", top = n, where = where_of(list(...)), stops = if (!is.null(stops)) I(stops),
                             zones = zones_of(zones), zone_name = zone_name, tiles = tiles, level = level))
  with_notes(table_rows(reply), reply)
}

#' @rdname ask
#' @export
stop_totals <- function(release, stop = NULL, ..., zones = NULL, zone_name = NULL, tiles = NULL, level = NULL) {
  reply <- ask(release, list(ask = "totals", where = where_of(list(...)), stops = if (!is.null(stop)) I(stop),
                             zones = zones_of(zones), zone_name = zone_name, tiles = tiles, level = level))
  with_notes(table_rows(reply), reply)
}

#' @rdname ask
#' @export
od_table <- function(release, from = NULL, to = NULL, ..., zones = NULL, zone_name = NULL, tiles = NULL, level = NULL,
                     overlaps = FALSE) {
  reply <- ask(release, list(ask = "matrix", from = from, to = to, where = where_of(list(...)), zones = zones_of(zones),
                             zone_name = zone_name, tiles = tiles, level = level, overlaps = if (overlaps) TRUE))
  rows <- unlist(reply$rows)
  columns <- unlist(reply$columns)
  frame <- data.frame(rep(rows, each = length(columns)), rep(columns, times = length(rows)))
  names(frame) <- c(reply$from, reply$to)
  for (name in figures) frame[[name]] <- unlist(lapply(reply[[name]], function(row) vapply(row, number, 0)))
  frame$claimed <- truth(reply$claimed)
  class(frame) <- c("stopover_table", "data.frame")
  with_notes(frame, reply)
}

#' @rdname ask
#' @export
as.matrix.stopover_table <- function(x, ...) {
  rows <- unique(x[[1]])
  columns <- unique(x[[2]])
  matrix(x$estimate, nrow = length(rows), byrow = TRUE, dimnames = list(rows, columns))
}
