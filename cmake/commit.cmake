# stopover_find_commit(OUT): the commit this is built from, or "unknown" where there is no git. STOPOVER_COMMIT says it
# instead (packages are built from sources without git).
set(STOPOVER_COMMIT "$ENV{STOPOVER_COMMIT}" CACHE STRING "the commit, where git cannot be asked")

function(stopover_find_commit out)
  set(commit "${STOPOVER_COMMIT}")
  if(NOT commit)
    execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} rev-parse HEAD OUTPUT_VARIABLE commit ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(NOT commit)
    set(commit unknown)
  endif()
  set(${out} ${commit} PARENT_SCOPE)
endfunction()
