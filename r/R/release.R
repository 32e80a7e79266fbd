#' Open a release
#'
#' Reads a release (a folder \code{NAME.odr} or a file \code{NAME.odrz}) and makes it ready for questions. Questions cost
#' no budget.
#'
#' @param path the folder or file
#' @param x,object,con a release
#' @param ... not used
#' @return \code{open_release}: an object of class \code{stopover_release}. \code{summary}: what it promises and holds, as
#'   \code{stopover info --json} has it, as a list. \code{close} gives its memory back before R does.
#' @examples
#' \dontrun{
#' city <- open_release("city.odr")
#' city
#' count_trips(city, origin = circle(37.75, -122.45, km = 3))
#' }
#' @export
open_release <- function(path) {
  path <- path.expand(path)
  result <- .Call(r_open, path)
  if (result$code != 0) fail(result$code, result$reply)
  release <- structure(list(pointer = result$reply, path = path), class = "stopover_release")
  if (!isTRUE(summary(release)$private)) {
    warning(path, " is not private: it was made with a key that can be repeated", call. = FALSE)
  }
  release
}

#' @rdname open_release
#' @export
summary.stopover_release <- function(object, ...) value_of(.Call(r_info, object$pointer))

#' @rdname open_release
#' @export
print.stopover_release <- function(x, ...) {
  about <- summary(x)
  cat("<release> ", x$path, "\n  ", about$mechanism, ", epsilon ", format(about$epsilon), ", unit ", about$unit, ", K = ",
      about$k, "\n  ", format(about$partitions, big.mark = ","), " partitions; stops: ",
      paste(stop_names(x), collapse = ", "), "\n", sep = "")
  if (!isTRUE(about$private)) cat("  NOT PRIVATE: made with a key that can be repeated\n")
  invisible(x)
}

# The names of stops that are on a map; none where there are no maps.
stop_names <- function(release) {
  reply <- tryCatch(ask(release, list(ask = "totals", tiles = 1)), stopover_error = function(e) NULL)
  unlist(lapply(reply$tables, function(table) table$stops))
}

#' @rdname open_release
#' @export
close.stopover_release <- function(con, ...) {
  .Call(r_close, con$pointer)
  invisible(NULL)
}

#' The version of the library
#'
#' @return \code{stopover_version}: a text. \code{protect_process}: nothing; from then on this R leaves no core dump, and
#'   other processes of the same user cannot read its memory. That cannot be taken back.
#' @examples
#' stopover_version()
#' @export
stopover_version <- function() .Call(r_version)

#' @rdname stopover_version
#' @export
protect_process <- function() invisible(.Call(r_protect))
