# Replies of the library as R has them; codes as conditions.

kinds <- c("1" = "internal", "2" = "usage", "3" = "bad_input", "4" = "privacy", "5" = "check_failed",
           "6" = "output_exists", "7" = "locked", "8" = "disk_full", "130" = "interrupted")

# A field as R writes it: `max_trips_per_user` of a message is max_trips_per_user =.
in_words_of_r <- function(text) {
  gsub("`([a-z_0-9]+)`", "`\\1 =`", text)
}

# Stops with a condition of the classes stopover_KIND and stopover_error, which has code, kind and field.
fail <- function(code, reply) {
  error <- tryCatch(jsonlite::fromJSON(reply)$error, error = function(e) list(message = reply))
  kind <- unname(kinds[as.character(code)])
  text <- in_words_of_r(paste(c(error$message, error$hint), collapse = "\n"))
  stop(structure(list(message = text, call = NULL, code = code, kind = kind, field = error$field),
                 class = c(paste0("stopover_", kind), "stopover_error", "error", "condition")))
}

# The reply as a list; matrices and vectors of numbers as such.
value_of <- function(result, simplify = TRUE) {
  if (result$code != 0) fail(result$code, result$reply)
  jsonlite::fromJSON(result$reply, simplifyVector = simplify, simplifyDataFrame = FALSE)
}

# Where true figures may be shown: on a screen, or where they are asked for.
shows_private <- function(when) {
  when <- match.arg(when, c("auto", "always", "never"))
  when == "always" || (when == "auto" && interactive() && isatty(stderr()))
}

# What a job told: notes as messages, warnings as warnings, true figures only where they may be shown.
pass_on <- function(result, quiet, private_notes) {
  hidden <- FALSE
  for (k in seq_along(result$kinds)) {
    text <- in_words_of_r(result$texts[k])
    what <- result$kinds[k]
    if (what == 3L) {
      warning(text, call. = FALSE)
    } else if (what == 2L && !quiet) {
      message("note: ", text)
    } else if (what == 4L && !quiet) {
      if (!shows_private(private_notes)) {
        hidden <- TRUE
      } else if (nzchar(text)) {
        message("private: ", text)
      }
    }
  }
  if (hidden) message("private: true figures are not shown here; private_notes = \"always\" shows them")
}

# Fields as the library takes them. What is NULL was not given.
as_fields <- function(fields) {
  fields <- Filter(Negate(is.null), fields)
  if (length(fields) == 0) return("{}")
  as.character(jsonlite::toJSON(fields, auto_unbox = TRUE, digits = NA, null = "null"))
}

run_job <- function(name, fields, threads = 0, progress = interactive(), quiet = FALSE, private_notes = "auto") {
  result <- .Call(r_job, name, as_fields(fields), as.integer(threads), isTRUE(progress) && !quiet)
  pass_on(result, quiet, private_notes)
  value_of(result)
}
