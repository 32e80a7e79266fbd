region <- function(...) structure(list(...), class = "stopover_region")

#' Regions: where trips are at a stop
#'
#' A region says where trips are at one stop. Every function that asks takes regions by the names of stops, and texts as
#' they are typed on the command line, such as \code{"circle:37.75,-122.45,3"}. Regions are joined with \code{&} (both),
#' \code{|} (one of them at least) and \code{-} (the first without the second).
#'
#' @param lat,lng a place in degrees
#' @param km how far around it
#' @param west,south,east,north edges in degrees
#' @param area an object of sf or sfc, or GeoJSON as a text
#' @param name a zone of the zones that are asked with, or a label of the stop's axis
#' @param ... times as \code{"07:00-09:00"}, or labels of an axis
#' @param x,digits a region; how many digits are printed
#' @param e1,e2 two regions
#' @return an object of class \code{stopover_region}
#' @examples
#' circle(37.75, -122.45, km = 3) - bbox(-122.5, 37.7, -122.4, 37.8)
#' time_of_day("07:00-09:00") & circle(37.75, -122.45, km = 3)
#' @name regions
NULL

#' @rdname regions
#' @export
circle <- function(lat, lng, km) region(circle = c(lat, lng, km))

#' @rdname regions
#' @export
bbox <- function(west, south, east, north) region(bbox = c(west, south, east, north))

#' @rdname regions
#' @export
polygon_of <- function(area) {
  region(polygon = if (inherits(area, c("sf", "sfc", "sfg"))) geojson_of(area) else jsonlite::fromJSON(area, FALSE))
}

#' @rdname regions
#' @export
zone <- function(name) region(zone = name)

#' @rdname regions
#' @export
time_of_day <- function(...) region(time = I(c(...)))

#' @rdname regions
#' @export
category <- function(...) region(category = I(c(...)))

#' @rdname regions
#' @export
anywhere <- function() structure(empty_object(), class = "stopover_region")

# {} rather than []
empty_object <- function() structure(list(), names = character(0))

#' @rdname regions
#' @export
Ops.stopover_region <- function(e1, e2) {
  name <- switch(.Generic, "&" = "all_of", "|" = "any_of", "-" = "but_not",
                 stop("regions are joined with &, | and -", call. = FALSE))
  do.call(region, `names<-`(list(list(e1, e2)), name))
}

#' @rdname regions
#' @export
print.stopover_region <- function(x, digits = 6, ...) {
  cat("<region> ", jsonlite::toJSON(plain(x), auto_unbox = TRUE, digits = digits), "\n", sep = "")
  invisible(x)
}

# Without our classes, as toJSON takes it.
plain <- function(x) {
  if (inherits(x, "AsIs") || !is.list(x)) return(x)
  kept <- names(x)
  x <- lapply(unclass(x), plain)
  if (is.null(kept) || length(x) > 0) x else empty_object()
}

# An object of sf as GeoJSON in lists, on WGS 84.
geojson_of <- function(area) {
  need_sf()
  shape <- sf::st_geometry(if (inherits(area, "sfg")) sf::st_sfc(area, crs = 4326) else area)
  if (!is.na(sf::st_crs(shape)) && sf::st_crs(shape) != sf::st_crs(4326)) shape <- sf::st_transform(shape, 4326)
  table <- if (inherits(area, "sf")) sf::st_drop_geometry(area) else NULL
  layer <- if (is.null(table)) sf::st_sf(geometry = shape) else sf::st_sf(table, geometry = shape)
  file <- tempfile(fileext = ".geojson")
  on.exit(unlink(file))
  sf::st_write(layer, file, driver = "GeoJSON", quiet = TRUE, layer_options = "COORDINATE_PRECISION=15")
  jsonlite::fromJSON(file, simplifyVector = FALSE)
}

need_sf <- function() {
  if (!requireNamespace("sf", quietly = TRUE)) {
    stop("this needs the package sf: install.packages(\"sf\"), or Debian's r-cran-sf", call. = FALSE)
  }
}
