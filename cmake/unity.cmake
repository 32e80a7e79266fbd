# How files are compiled together.
#
# stopover_join(OUT NAME FILE...): with STOPOVER_UNITY, OUT becomes a few generated files, joined/NAME_0.cc and so on, that
# include the given ones; without it, OUT is the files themselves. Headers and templates are then read once per generated file, which
# takes more than half off a first build. Whoever works on the code wants it off (preset dev): then one changed file is one
# file compiled. The other presets have it off too, so that a file that cannot stand alone shows there.
#
# Two files that define the same name outside of classes never share a generated file: what is unnamed in both would clash,
# or, worse, overload. The names are found by how definitions look in this code: at the start of a line. A file with the
# property SKIP_UNITY_BUILD_INCLUSION stays apart; say so before it is joined.
option(STOPOVER_UNITY "compile a room's files together: a quick first build, slower ones after a change" OFF)
set(STOPOVER_UNITY_FILES 12) # at most, per generated file

# The names that FILE defines at the start of a line: types, functions, constants, macros. Not members (Name::member).
function(stopover_defined_names out file)
  file(READ ${file} text)
  string(REGEX REPLACE "[][]" "(" text "${text}") # brackets would hold a list of CMake's together
  set(name "[A-Za-z_][A-Za-z0-9_]*")
  string(REGEX MATCHALL "\n(struct|class|enum class|enum|#define) ${name}" types "${text}")
  string(REGEX MATCHALL "\n[A-Za-z_][A-Za-z0-9_:<>,&* ]*[ &*]${name} ?[({=]" others "${text}")
  list(FILTER others EXCLUDE REGEX "^\nnamespace ")
  string(REGEX MATCHALL ", k[A-Z][A-Za-z0-9]* =" constants "${text}") # the second of several, too
  set(found ${types} ${others} ${constants})
  list(TRANSFORM found REPLACE "^.*[ &*]([A-Za-z_][A-Za-z0-9_]*) ?[({=]?$" "\\1")
  list(REMOVE_DUPLICATES found)
  set(${out} ${found} PARENT_SCOPE)
endfunction()

function(stopover_join out name)
  if(NOT STOPOVER_UNITY OR NOT ARGN)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(joined "")
  set(count 0)
  foreach(file ${ARGN})
    get_source_file_property(apart ${file} SKIP_UNITY_BUILD_INCLUSION)
    if(apart)
      list(APPEND joined ${file})
      continue()
    endif()
    stopover_defined_names(names ${file})
    set(place -1)
    set(i 0)
    while(i LESS count)
      list(LENGTH files_${i} full)
      if(full LESS STOPOVER_UNITY_FILES)
        set(clash FALSE)
        foreach(one ${names})
          if(one IN_LIST names_${i})
            set(clash TRUE)
            break()
          endif()
        endforeach()
        if(NOT clash)
          set(place ${i})
          break()
        endif()
      endif()
      math(EXPR i "${i} + 1")
    endwhile()
    if(place EQUAL -1)
      set(place ${count})
      math(EXPR count "${count} + 1")
    endif()
    list(APPEND files_${place} ${file})
    list(APPEND names_${place} ${names})
  endforeach()
  set(i 0)
  while(i LESS count)
    # By their paths below src/ or the project, so that the text is the same in every clone and ccache knows it again.
    set(text "// Made by cmake/unity.cmake.\n")
    foreach(file ${files_${i}})
      file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${file})
      string(REGEX REPLACE "^src/" "" path ${path})
      string(APPEND text "#include \"${path}\"\n")
    endforeach()
    set(target ${CMAKE_CURRENT_BINARY_DIR}/joined/${name}_${i}.cc)
    file(CONFIGURE OUTPUT ${target} CONTENT "${text}" @ONLY)
    list(APPEND joined ${target})
    math(EXPR i "${i} + 1")
  endwhile()
  set(${out} ${joined} PARENT_SCOPE)
endfunction()
