# oneTBB as the archive of .deps/portable-MACHINE. Its headers are where the compiler looks by itself.
if(NOT TARGET TBB::tbb)
  add_library(TBB::tbb STATIC IMPORTED)
  set_target_properties(TBB::tbb PROPERTIES IMPORTED_LOCATION ${STOPOVER_PORTABLE}/lib/libtbb.a)
endif()
