# What `pip install .` takes from build/release instead of compiling it once more.
#
# A build in build/release leaves the rooms and commands there as targets, and can bring them up to
# date (target stopover_built). `pip install .` in the same folder, with the same compiler, has that done and links them;
# what is left to compile are the Python bindings. Elsewhere, or where that fails, it compiles everything.
#
# STOPOVER_BUILT is the folder whose targets are taken, or empty.
set(STOPOVER_BUILT "")

function(stopover_find_built out)
  set(folder ${PROJECT_SOURCE_DIR}/build/release)
  set(${out} "" PARENT_SCOPE)
  if(NOT SKBUILD OR NOT EXISTS ${folder}/stopoverBuilt.cmake OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  load_cache(${folder} READ_WITH_PREFIX built_ CMAKE_HOME_DIRECTORY CMAKE_CXX_COMPILER CMAKE_BUILD_TYPE)
  foreach(path built_CMAKE_HOME_DIRECTORY built_CMAKE_CXX_COMPILER PROJECT_SOURCE_DIR CMAKE_CXX_COMPILER)
    file(REAL_PATH "${${path}}" ${path})
  endforeach()
  if(built_CMAKE_HOME_DIRECTORY STREQUAL PROJECT_SOURCE_DIR AND built_CMAKE_CXX_COMPILER STREQUAL CMAKE_CXX_COMPILER
      AND built_CMAKE_BUILD_TYPE STREQUAL "Release")
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${folder} --target stopover_built RESULT_VARIABLE failed
      OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      message(STATUS "what build/release compiled is taken from there")
      set(${out} ${folder} PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Leaves the targets for others. After all of them.
function(stopover_leave_built)
  get_property(rooms GLOBAL PROPERTY STOPOVER_ROOMS)
  list(TRANSFORM rooms PREPEND stopover_)
  list(APPEND rooms stopover_cli stopover_lab)
  add_custom_target(stopover_built DEPENDS ${rooms})
  export(TARGETS stopover_flags ${rooms} NAMESPACE stopover_ FILE ${PROJECT_BINARY_DIR}/stopoverBuilt.cmake)
endfunction()
