# How a room becomes a library and its tests.
#
# stopover_room(NAME [DEPS ...] [PRIVATE_DEPS ...] [TEST_DEPS ...] [OPTIONS ...] [LONG ...] [INTEGER_ONLY])
#
# One folder of src/ is one static library `stopover_NAME`: every .cc of the folder that does not end in _test.cc. Every
# x_test.cc becomes one test program `NAME_x_test` (the room, PRIVATE_DEPS, TEST_DEPS and GoogleTest) and one ctest entry
# `NAME.x_test`. A room without any .cc yet is an interface library, so the order of building the house does not matter.
#
#   DEPS          what the room's headers need; its users get them too
#   PRIVATE_DEPS  what its .cc files need
#   TEST_DEPS     what its tests need besides
#   OPTIONS       compile options for the library
#   LONG          tests (x_test) that do more when STOPOVER_LONG_TESTS=1: they get a second entry `prove.NAME.x_test`,
#                 labelled `prove`, which `make test` leaves out and `make prove` runs
#   INTEGER_ONLY  the audited core: a floating point operation is a compile error (g++ without sanitizers; a sanitizer's
#                 own code needs the registers, and clang refuses the standard headers)

add_library(stopover_flags INTERFACE)
target_compile_features(stopover_flags INTERFACE cxx_std_20)
target_include_directories(stopover_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include/stopover/rooms>)
target_compile_options(stopover_flags INTERFACE
  $<BUILD_INTERFACE:-Wall> $<BUILD_INTERFACE:-Wextra> $<BUILD_INTERFACE:-Wconversion>
  $<BUILD_INTERFACE:-Wno-sign-conversion> $<BUILD_INTERFACE:-Wshadow> $<BUILD_INTERFACE:-Werror=return-type>
  # g++ 12 misfires on "literal" + std::string.
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>>)
if(STOPOVER_SANITIZE)
  target_compile_options(stopover_flags INTERFACE -fsanitize=${STOPOVER_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(stopover_flags INTERFACE -fsanitize=${STOPOVER_SANITIZE})
endif()
if(STOPOVER_COVERAGE)
  target_compile_options(stopover_flags INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(stopover_flags INTERFACE -fprofile-instr-generate)
endif()
if(STOPOVER_FUZZ)
  target_compile_options(stopover_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT STOPOVER_SANITIZE)
  set(STOPOVER_INTEGER_FLAGS -mgeneral-regs-only)
else()
  set(STOPOVER_INTEGER_FLAGS "")
endif()

# stopover_add_test(NAME PROGRAM [LABEL label] [ENVIRONMENT ...] [TIMEOUT seconds]): one GoogleTest program, one ctest
# entry. A program that holds no test fails.
function(stopover_add_test name program)
  cmake_parse_arguments(TEST "" "LABEL;TIMEOUT" "ENVIRONMENT" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300)
  endif()
  if(STOPOVER_SANITIZE)
    math(EXPR TEST_TIMEOUT "4 * ${TEST_TIMEOUT}")
  endif()
  add_test(NAME ${name} COMMAND ${program})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT} FAIL_REGULAR_EXPRESSION "Running 0 tests"
    LABELS "${TEST_LABEL}" ENVIRONMENT "${TEST_ENVIRONMENT}")
endfunction()

function(stopover_room name)
  cmake_parse_arguments(ROOM "INTEGER_ONLY" "" "DEPS;PRIVATE_DEPS;TEST_DEPS;OPTIONS;LONG" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  set(lib stopover_${name})
  if(sources)
    add_library(${lib} STATIC ${sources})
    target_link_libraries(${lib} PUBLIC stopover_flags ${ROOM_DEPS} PRIVATE ${ROOM_PRIVATE_DEPS})
    target_compile_options(${lib} PRIVATE ${ROOM_OPTIONS})
    if(ROOM_INTEGER_ONLY)
      target_compile_options(${lib} PRIVATE ${STOPOVER_INTEGER_FLAGS})
    endif()
  else()
    add_library(${lib} INTERFACE)
    target_link_libraries(${lib} INTERFACE stopover_flags ${ROOM_DEPS})
  endif()
  set_target_properties(${lib} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY STOPOVER_ROOMS ${name})
  if(STOPOVER_TESTS)
    foreach(test ${tests})
      get_filename_component(stem ${test} NAME_WE)
      set(program ${name}_${stem})
      add_executable(${program} ${test})
      target_link_libraries(${program} PRIVATE ${lib} ${ROOM_PRIVATE_DEPS} ${ROOM_TEST_DEPS} GTest::gtest_main)
      stopover_add_test(${name}.${stem} ${program})
      if(stem IN_LIST ROOM_LONG)
        stopover_add_test(prove.${name}.${stem} ${program} LABEL prove TIMEOUT 7200
          ENVIRONMENT STOPOVER_LONG_TESTS=1)
      endif()
    endforeach()
  endif()
endfunction()
