# GoogleTest for another machine: the archives of .deps/portable-MACHINE.
if(NOT TARGET GTest::gtest)
  add_library(GTest::gtest STATIC IMPORTED)
  set_target_properties(GTest::gtest PROPERTIES IMPORTED_LOCATION ${STOPOVER_PORTABLE}/lib/libgtest.a)
  add_library(GTest::gtest_main STATIC IMPORTED)
  set_target_properties(GTest::gtest_main PROPERTIES IMPORTED_LOCATION ${STOPOVER_PORTABLE}/lib/libgtest_main.a
    INTERFACE_LINK_LIBRARIES GTest::gtest)
endif()
