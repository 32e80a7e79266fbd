# Where the programs end up, and what `make install` leaves for others:
#
#   bin/stopover, bin/stopover-lab     they find libduckdb.so in lib/stopover by a relative path
#   include/stopover/*.h               what programs include: <stopover/publish.h>, ..., in C <stopover/stopover.h>
#   include/stopover/rooms/ROOM/*.h    what those include, as "base/ticks.h"
#   lib/libstopover.so                 stopover.h and nothing else; lib/pkgconfig/stopover.pc
#   lib/libstopover_*.a                the rooms
#   lib/cmake/stopover/                find_package(stopover), targets stopover::stopover (C++) and stopover::c
#   share/man/man1/                    man stopover, man stopover-lab: printed by the programs while installing
#   share/bash-completion, zsh, fish   what shells complete, where each looks for it: printed by the program, too
#   share/stopover/spark/cells.py      what stopover cells --engine spark runs
#   share/stopover/spark/count.py      what stopover publish --counts-from spark runs
#   lib/stopover/libduckdb.so          only when it is the one scripts/get-duckdb fetched; its header beside ours
#
# eval, testing and peers stay at home: one sees the truth, one has keys that can be repeated, one makes what cannot be
# published.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(STOPOVER_PORTABLE) # one place for all of them: wheels, packages, images
  set(CMAKE_INSTALL_LIBDIR lib)
  set_target_properties(stopover stopover-lab PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
endif()
file(RELATIVE_PATH to_libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR}/stopover)
set_target_properties(stopover stopover-lab PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
if(NOT SKBUILD) # a wheel has its own places (python/CMakeLists.txt)
  set_target_properties(stopover stopover-lab PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
endif()
install(TARGETS stopover stopover-lab RUNTIME)
foreach(program stopover stopover-lab)
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:${program}>\" help --man
    OUTPUT_FILE \"${PROJECT_BINARY_DIR}/${program}.1\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${PROJECT_BINARY_DIR}/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()
set(bash_completion ${CMAKE_INSTALL_DATADIR}/bash-completion/completions/stopover)
set(zsh_completion ${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_stopover)
set(fish_completion ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/stopover.fish)
foreach(shell bash zsh fish)
  cmake_path(GET ${shell}_completion PARENT_PATH folder)
  cmake_path(GET ${shell}_completion FILENAME name)
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:stopover>\" completion ${shell}
    OUTPUT_FILE \"${PROJECT_BINARY_DIR}/completion.${shell}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${PROJECT_BINARY_DIR}/completion.${shell} DESTINATION ${folder} RENAME ${name})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/spark/cells.py ${PROJECT_SOURCE_DIR}/spark/count.py DESTINATION ${CMAKE_INSTALL_DATADIR}/stopover/spark)

# The C functions as a shared library. Rooms are inside and stay there: two programs' parts may hold different ones.
add_library(stopover_c SHARED $<TARGET_OBJECTS:stopover_c_api>)
target_link_libraries(stopover_c PRIVATE stopover_job stopover_question)
target_include_directories(stopover_c INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set(exported ${CMAKE_CURRENT_LIST_DIR}/stopover_c.map)
target_link_options(stopover_c PRIVATE -Wl,--version-script=${exported})
set_target_properties(stopover_c PROPERTIES OUTPUT_NAME stopover EXPORT_NAME c LINK_DEPENDS ${exported}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} VERSION ${PROJECT_VERSION} INSTALL_RPATH "$ORIGIN/stopover"
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(STOPOVER_PORTABLE) # scripts/deb takes it as it is built
  set_target_properties(stopover_c PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
endif()
install(TARGETS stopover_c EXPORT stopover LIBRARY)
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/stopover.pc.in ${PROJECT_BINARY_DIR}/stopover.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/stopover.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(rooms base text domain geo matrix synthetic disk duck zones ledger release privacy mechanism query question
  calibrate release_io trust ingest publish plan exports job)
add_library(stopover_library INTERFACE)
target_include_directories(stopover_library INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(stopover_library PROPERTIES EXPORT_NAME stopover)
add_library(stopover::stopover ALIAS stopover_library)
set_target_properties(stopover_flags PROPERTIES EXPORT_NAME flags)
install(TARGETS stopover_library stopover_flags EXPORT stopover)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/stopover DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(room ${rooms})
  target_link_libraries(stopover_library INTERFACE stopover_${room})
  install(TARGETS stopover_${room} EXPORT stopover ARCHIVE)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stopover/rooms
    FILES_MATCHING PATTERN "*.h")
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stopover)
set(header_dir ${CMAKE_INSTALL_INCLUDEDIR}/stopover/rooms)
set(library_dir ${CMAKE_INSTALL_LIBDIR}/stopover)
install(EXPORT stopover NAMESPACE stopover:: FILE stopoverTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/stopoverConfig.cmake.in
  ${PROJECT_BINARY_DIR}/stopoverConfig.cmake INSTALL_DESTINATION ${package_dir} PATH_VARS header_dir library_dir
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stopoverConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stopoverConfig.cmake ${PROJECT_BINARY_DIR}/stopoverConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindDuckDB.cmake ${CMAKE_CURRENT_LIST_DIR}/FindHDF5C.cmake DESTINATION ${package_dir})

cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${DuckDB_LIBRARY} duckdb_was_fetched)
if(duckdb_was_fetched)
  install(FILES ${DuckDB_LIBRARY} DESTINATION ${library_dir}
    PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  install(FILES ${DuckDB_INCLUDE_DIR}/duckdb.h DESTINATION ${header_dir})
endif()
