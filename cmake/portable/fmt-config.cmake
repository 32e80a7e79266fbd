# {fmt} as the archive of .deps/portable-MACHINE. Its headers are where the compiler looks by itself. FMT_SHARED as
# Debian's own package says it, so that the command lines are those of build/release.
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt STATIC IMPORTED)
  set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION ${STOPOVER_PORTABLE}/lib/libfmt.a
    INTERFACE_COMPILE_DEFINITIONS FMT_SHARED)
endif()
