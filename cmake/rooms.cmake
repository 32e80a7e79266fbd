# stopover_room(NAME [DEPS ...]): one folder of src/ as one static library.
#
# Every .cc of the folder that does not end in _test.cc belongs to the library; every x_test.cc becomes one test
# program `NAME_x_test`, linked with the room, stopover_testing's entropy where TEST_DEPS says so, and GoogleTest.
# A room without any .cc yet is an interface library, so that the order of building the house does not matter.

add_library(stopover_flags INTERFACE)
target_include_directories(stopover_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include/stopover>)
target_compile_options(stopover_flags INTERFACE
  $<BUILD_INTERFACE:-Wall> $<BUILD_INTERFACE:-Wextra> $<BUILD_INTERFACE:-Wconversion>
  $<BUILD_INTERFACE:-Wno-sign-conversion> $<BUILD_INTERFACE:-Wshadow> $<BUILD_INTERFACE:-Werror=return-type>)
if(STOPOVER_SANITIZE)
  target_compile_options(stopover_flags INTERFACE -fsanitize=${STOPOVER_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(stopover_flags INTERFACE -fsanitize=${STOPOVER_SANITIZE})
endif()

function(stopover_room name)
  cmake_parse_arguments(ROOM "" "" "DEPS;PRIVATE_DEPS;TEST_DEPS;OPTIONS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  set(lib stopover_${name})
  if(sources)
    add_library(${lib} STATIC ${sources})
    target_link_libraries(${lib} PUBLIC stopover_flags ${ROOM_DEPS} PRIVATE ${ROOM_PRIVATE_DEPS})
    if(ROOM_OPTIONS)
      target_compile_options(${lib} PRIVATE ${ROOM_OPTIONS})
    endif()
  else()
    add_library(${lib} INTERFACE)
    target_link_libraries(${lib} INTERFACE stopover_flags ${ROOM_DEPS})
  endif()
  if(STOPOVER_TESTS)
    foreach(test ${tests})
      get_filename_component(stem ${test} NAME_WE)
      set(program ${name}_${stem})
      add_executable(${program} ${test})
      target_link_libraries(${program} PRIVATE ${lib} ${ROOM_PRIVATE_DEPS} ${ROOM_TEST_DEPS} GTest::gtest_main)
      gtest_discover_tests(${program} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
        PROPERTIES TIMEOUT 300)
    endforeach()
  endif()
endfunction()
