# {fmt} as the archive of .deps/portable-MACHINE. Its headers are where the compiler looks by itself. FMT_SHARED as
# Debian's own package says it: the command lines are then those of build/release, and the compiler's cache knows them
# again.
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt STATIC IMPORTED)
  set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION ${STOPOVER_PORTABLE}/lib/libfmt.a
    INTERFACE_COMPILE_DEFINITIONS FMT_SHARED)
endif()
