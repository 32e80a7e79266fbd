# How a room becomes a library and its tests.
#
# stopover_room(NAME [DEPS ...] [PRIVATE_DEPS ...] [TEST_DEPS ...] [OPTIONS ...] [LONG ...] [HOT] [COLD] [INTEGER_ONLY])
#
# One folder of src/ is one static library `stopover_NAME`: every .cc of the folder that does not end in _test.cc. Every
# x_test.cc becomes one test program `NAME_x_test` (the room, PRIVATE_DEPS, TEST_DEPS and GoogleTest) and one ctest entry
# `NAME.x_test`. With STOPOVER_UNITY (cmake/unity.cmake) one program `NAME_tests` holds all of them, and `NAME_x_test` is a
# link to it: called by that name, it runs that file's tests. A room without any .cc yet is an interface library, so the
# order of building the house does not matter.
#
#   DEPS          what the room's headers need; its users get them too
#   PRIVATE_DEPS  what its .cc files need
#   TEST_DEPS     what its tests need besides
#   OPTIONS       compile options for the library
#   LONG          tests (x_test) that do more when STOPOVER_LONG_TESTS=1: they get a second entry `prove.NAME.x_test`,
#                 labelled `prove`, which `make test` leaves out and `make prove` runs
#   HOT           loops over rows of releases: compiled with all optimisation
#   COLD          does no work in loops: compiled with little optimisation
#   INTEGER_ONLY  the audited core: a floating point operation is a compile error (g++ without sanitizers; a sanitizer's
#                 own code needs the registers, and clang refuses the standard headers)

include(unity)

add_library(stopover_flags INTERFACE)
target_compile_features(stopover_flags INTERFACE cxx_std_20)
target_include_directories(stopover_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include/stopover/rooms>)
target_compile_options(stopover_flags INTERFACE
  $<BUILD_INTERFACE:-Wall> $<BUILD_INTERFACE:-Wextra> $<BUILD_INTERFACE:-Wconversion>
  $<BUILD_INTERFACE:-Wno-sign-conversion> $<BUILD_INTERFACE:-Wshadow> $<BUILD_INTERFACE:-Werror=return-type>
  # g++ 12 misfires on "literal" + std::string.
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>>)
if(STOPOVER_UNITY) # an unnamed type in an included file is a header's to g++
  target_compile_options(stopover_flags INTERFACE
    $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>>)
endif()
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

# Little optimisation, for what nobody waits for when it runs and everybody when it is compiled: tests (the rooms do the
# work), command lines, records.
set(STOPOVER_COLD $<$<CONFIG:Release>:-O1>)
set(STOPOVER_HOT $<$<CONFIG:Release>:-O3>)

# stopover_add_test(NAME PROGRAM [LABEL label] [ENVIRONMENT ...] [TIMEOUT seconds]): one GoogleTest program, one ctest
# entry. A program that holds no test fails.
function(stopover_add_test name program)
  cmake_parse_arguments(TEST "" "LABEL;TIMEOUT" "ENVIRONMENT" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 3600) # for what hangs; a busy machine takes its time
    if(CMAKE_CROSSCOMPILING) # an emulator takes forty times as long where it calculates with long doubles
      set(TEST_TIMEOUT 21600)
    endif()
  endif()
  if(CMAKE_CROSSCOMPILING)
    list(APPEND TEST_ENVIRONMENT STOPOVER_EMULATED=1)
  endif()
  add_test(NAME ${name} COMMAND ${program})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT} FAIL_REGULAR_EXPRESSION "Running 0 tests"
    LABELS "${TEST_LABEL}" ENVIRONMENT "${TEST_ENVIRONMENT}")
endfunction()

function(stopover_room name)
  cmake_parse_arguments(ROOM "HOT;COLD;INTEGER_ONLY" "" "DEPS;PRIVATE_DEPS;TEST_DEPS;OPTIONS;LONG" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  set(lib stopover_${name})
  if(sources)
    set(joined ${sources})
    if(NOT ROOM_INTEGER_ONLY) # the audited core is compiled as it is read
      stopover_join(joined ${lib} ${sources})
    endif()
    add_library(${lib} STATIC ${joined})
    target_link_libraries(${lib} PUBLIC stopover_flags ${ROOM_DEPS} PRIVATE ${ROOM_PRIVATE_DEPS})
    target_compile_options(${lib} PRIVATE ${ROOM_OPTIONS})
    if(ROOM_HOT)
      target_compile_options(${lib} PRIVATE ${STOPOVER_HOT})
    endif()
    if(ROOM_COLD)
      target_compile_options(${lib} PRIVATE ${STOPOVER_COLD})
    endif()
    if(ROOM_INTEGER_ONLY)
      target_compile_options(${lib} PRIVATE ${STOPOVER_INTEGER_FLAGS})
    endif()
  else()
    add_library(${lib} INTERFACE)
    target_link_libraries(${lib} INTERFACE stopover_flags ${ROOM_DEPS})
  endif()
  set_target_properties(${lib} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY STOPOVER_ROOMS ${name})
  if(STOPOVER_TESTS AND tests)
    stopover_room_tests()
  endif()
endfunction()

# The tests of the room that the caller, stopover_room, is about.
macro(stopover_room_tests)
  set(test_deps ${lib} ${ROOM_PRIVATE_DEPS} ${ROOM_TEST_DEPS})
  if(STOPOVER_UNITY)
    stopover_join(joined_tests ${name}_tests ${tests})
    add_executable(${name}_tests ${joined_tests})
    target_compile_options(${name}_tests PRIVATE ${STOPOVER_COLD})
    target_link_libraries(${name}_tests PRIVATE ${test_deps} stopover_tests_main)
  endif()
  file(GLOB links ${CMAKE_CURRENT_BINARY_DIR}/${name}_*_test) # also of files that are there no more
  foreach(link ${links})
    if(IS_SYMLINK ${link})
      file(REMOVE ${link})
    endif()
  endforeach()
  foreach(test ${tests})
    get_filename_component(stem ${test} NAME_WE)
    set(program ${name}_${stem})
    set(path ${CMAKE_CURRENT_BINARY_DIR}/${program})
    if(STOPOVER_UNITY)
      file(CREATE_LINK ${name}_tests ${path} SYMBOLIC)
      add_custom_target(${program} DEPENDS ${name}_tests)
    else()
      add_executable(${program} ${test})
      target_compile_options(${program} PRIVATE ${STOPOVER_COLD})
      target_link_libraries(${program} PRIVATE ${test_deps} GTest::gtest_main)
    endif()
    stopover_add_test(${name}.${stem} ${path})
    if(stem IN_LIST ROOM_LONG)
      stopover_add_test(prove.${name}.${stem} ${path} LABEL prove TIMEOUT 7200 ENVIRONMENT STOPOVER_LONG_TESTS=1)
    endif()
  endforeach()
endmacro()
