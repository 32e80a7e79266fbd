# The modules of portable wheels (scripts/wheel), one for each entry of STOPOVER_PYTHONS: TAG=FOLDER, where TAG is
# cp310, cp311 or abi3 and FOLDER holds that Python's headers (for abi3 those of 3.12 or later; what is made runs on
# 3.12 and all later ones). Nothing of Python is linked: the program that loads a module has it.
#
#   build/X/python/TAG/_core.so     the module; scripts/wheel gives it its name
set(STOPOVER_PYTHONS "" CACHE STRING "the Pythons to build modules for, TAG=FOLDER each")
set(STOPOVER_NANOBIND "" CACHE PATH "nanobind's folder: python -m nanobind --cmake_dir, without cmake")
if(NOT STOPOVER_PYTHONS)
  return()
endif()
file(GLOB nanobind ${STOPOVER_NANOBIND}/src/*.cpp)
list(FILTER nanobind EXCLUDE REGEX "/nb_(backend|combined|ft)\\.cpp$")
foreach(python ${STOPOVER_PYTHONS})
  string(REGEX MATCH "^([a-z0-9]+)=(.+)$" matched ${python})
  set(tag ${CMAKE_MATCH_1})
  set(headers ${CMAKE_MATCH_2})
  add_library(nanobind_${tag} OBJECT ${nanobind})
  set_target_properties(nanobind_${tag} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  target_include_directories(nanobind_${tag} SYSTEM PRIVATE ${STOPOVER_NANOBIND}/ext/robin_map/include)
  target_compile_definitions(nanobind_${tag} PRIVATE NB_BUILD NB_COMPACT_ASSERTIONS)
  target_compile_options(nanobind_${tag} PRIVATE -fno-strict-aliasing -w)

  add_library(core_${tag} MODULE bindings/core_module.cc bindings/bind.cc bindings/open_release.cc bindings/task.cc
    $<TARGET_OBJECTS:nanobind_${tag}>)
  target_include_directories(core_${tag} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(core_${tag} PRIVATE STOPOVER_VERSION="${PROJECT_VERSION}")
  target_compile_options(core_${tag} PRIVATE ${STOPOVER_COLD} -fno-stack-protector)
  target_link_libraries(core_${tag} PRIVATE stopover_job stopover_ingest stopover_query stopover_question stopover_page
    stopover_plan stopover_exports nlohmann_json::nlohmann_json)
  set_target_properties(core_${tag} PROPERTIES PREFIX "" OUTPUT_NAME _core
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${tag} BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/lib/stopover")
  foreach(target nanobind_${tag} core_${tag})
    target_include_directories(${target} SYSTEM PRIVATE ${headers} ${STOPOVER_NANOBIND}/include)
    target_compile_definitions(${target} PRIVATE NB_DOMAIN=stopover_core
      $<$<STREQUAL:${tag},abi3>:Py_LIMITED_API=0x030C0000>)
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  endforeach()
endforeach()
