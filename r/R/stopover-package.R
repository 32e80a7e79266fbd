#' @useDynLib stopover, .registration = TRUE
#' @keywords internal
"_PACKAGE"
