# DuckDB's C library, as target DuckDB::DuckDB. Looks in DUCKDB_ROOT (cache or environment), then where an installed
# stopover keeps its copy, then in .deps/duckdb, where scripts/get-duckdb puts it.
set(_roots ${DUCKDB_ROOT} $ENV{DUCKDB_ROOT} ${STOPOVER_DUCKDB_ROOT} ${PROJECT_SOURCE_DIR}/.deps/duckdb)
find_path(DuckDB_INCLUDE_DIR duckdb.h HINTS ${_roots} PATH_SUFFIXES include)
find_library(DuckDB_LIBRARY duckdb HINTS ${_roots} PATH_SUFFIXES lib)
unset(_roots)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DuckDB REQUIRED_VARS DuckDB_LIBRARY DuckDB_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "run scripts/get-duckdb, or set DUCKDB_ROOT")
if(DuckDB_FOUND AND NOT TARGET DuckDB::DuckDB)
  add_library(DuckDB::DuckDB SHARED IMPORTED)
  set_target_properties(DuckDB::DuckDB PROPERTIES IMPORTED_LOCATION ${DuckDB_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${DuckDB_INCLUDE_DIR})
endif()
mark_as_advanced(DuckDB_INCLUDE_DIR DuckDB_LIBRARY)
