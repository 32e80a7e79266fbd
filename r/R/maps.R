#' Maps and flows as objects of sf
#'
#' Each has the intervals of the command line's export as columns.
#'
#' @param release from \code{open_release}
#' @param stop which stop's map; all of them
#' @param top how many flows, the largest first
#' @param zones an object of sf, or a GeoJSON file
#' @param ... more fields of the export, such as \code{zone_name}
#' @param x a release
#' @param flows how many of the largest flows are drawn
#' @param palette of \code{hcl.colors}
#' @return an object of sf; \code{plot} the flows that it drew, invisibly
#' @examples
#' \dontrun{
#' plot(city, flows = 50)
#' sf::st_write(flows_sf(city, 500), "flows.gpkg")
#' }
#' @name maps
NULL

layer_sf <- function(release, layer, ...) {
  need_sf()
  file <- tempfile(fileext = ".geojson")
  on.exit(unlink(file))
  export_release(release, "geojson", file, layer = layer, ...)
  sf::st_read(file, quiet = TRUE)
}

#' @rdname maps
#' @export
stops_sf <- function(release, stop = NULL, ...) {
  layer <- layer_sf(release, "stops", ...)
  if (is.null(stop)) layer else layer[layer$stop == stop, ]
}

#' @rdname maps
#' @export
flows_sf <- function(release, top = 500, ...) layer_sf(release, "flows", top = top, ...)

#' @rdname maps
#' @export
zones_sf <- function(release, zones, ...) {
  if (inherits(zones, "sf")) {
    file <- tempfile(fileext = ".geojson")
    on.exit(unlink(file))
    writeLines(jsonlite::toJSON(geojson_of(zones), auto_unbox = TRUE, digits = NA), file)
    zones <- file
  }
  layer_sf(release, "zones", zones = zones, ...)
}

#' @rdname maps
#' @export
plot.stopover_release <- function(x, flows = 100, stop = NULL, palette = "Teal", ...) {
  map <- stops_sf(x)
  names <- unique(map$stop)
  chosen <- if (is.null(stop)) names[1] else stop
  map <- map[map$stop == chosen, ]
  area <- as.numeric(sf::st_area(map))
  dense <- map$estimate / area
  steps <- 9
  breaks <- unique(quantile_steps(dense, steps))
  colour <- grDevices::hcl.colors(steps, palette, rev = TRUE)[findInterval(dense, breaks, all.inside = TRUE)]
  graphics::plot(sf::st_geometry(map), col = colour, border = NA, axes = TRUE, main = paste("Where trips are:", chosen),
                 ...)
  lines <- flows_sf(x, flows)
  lines <- lines[sf::st_geometry_type(lines) == "LINESTRING", ]
  if (nrow(lines) > 0) {
    width <- 0.5 + 5 * lines$estimate / max(lines$estimate)
    graphics::plot(sf::st_geometry(lines), lwd = width, col = grDevices::adjustcolor("#a63603", 0.5), add = TRUE)
  }
  shown <- pretty(c(0, max(lines$estimate, 1)), 3)[-1]
  graphics::legend("topright", legend = format(shown, big.mark = ","), lwd = 0.5 + 5 * shown / max(lines$estimate, 1),
                   col = grDevices::adjustcolor("#a63603", 0.5), title = "trips", bg = "white")
  invisible(lines)
}

quantile_steps <- function(values, steps) {
  sorted <- sort(values)
  sorted[round(seq(1, length(sorted), length.out = steps + 1))]
}
