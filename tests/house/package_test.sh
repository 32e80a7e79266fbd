#!/usr/bin/env bash
# Installs the build into an empty prefix and uses it as others would: the examples in C++, C and shell, and the program
# in the head of each public header. Projects know find_package(stopover) or pkg-config, nothing else. The prefix is
# moved before: nothing in it may depend on where it was.
#
#   package_test.sh BUILD_DIR REPOSITORY COMPILER [SANITIZERS]
#
# With sanitizers libstopover.so wants their runtime in the program that loads it, which C and Python here have not:
# both are left out, with a word.
set -euo pipefail
build=$1 repository=$2 compiler=$3 sanitizers=${4:-}
examples=$repository/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state
unset DUCKDB_ROOT LD_LIBRARY_PATH

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
mv "$work/first" "$work/prefix"
if (cd "$work/prefix" && find . -path '*test*' -o -path '*/peers*' -o -path '*/eval*') | grep .; then
  echo "tests and the rooms testing, peers and eval must not be installed"
  exit 1
fi
(cd "$work/prefix/include" && find . -maxdepth 2 -type f | sort) >"$work/headers"
printf './stopover/%s.h\n' publish query release stopover | diff "$work/headers" - || {
  echo "the public headers are not these four"
  exit 1
}

# 337 of the 1,000 trips begin there; the noise is a few dozen at most.
check_answer() {
  echo "$1: $2"
  local number=${2%%[[:space:].]*}
  [ "$number" -ge 200 ] && [ "$number" -le 480 ]
}

# program_of HEADER: what its head comment shows, from the first #include to the end of main.
program_of() {
  sed -n -E '/^(\/\/| \*)   #include/,/^(\/\/| \*)   \}$/ s/^(\/\/| \*) ? ? ?//p' "$repository/include/stopover/$1.h"
}

# ---- C++: the example, and a project of the headers' programs ----
configure() {
  cmake -S "$1" -B "$1.build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_BUILD_TYPE=Debug >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
  cmake --build "$1.build"
}
cp -r "$examples/cpp" "$work/cpp"
for header in publish release query; do
  program_of $header >"$work/cpp/$header.cc"
  grep -q 'int main()' "$work/cpp/$header.cc" || { echo "no program in the head of $header.h"; exit 1; }
  printf 'add_executable(%s %s.cc)\ntarget_link_libraries(%s PRIVATE stopover::stopover)\n' $header $header $header
done >>"$work/cpp/CMakeLists.txt"
configure "$work/cpp"
mkdir "$work/cpp-data"
check_answer "C++" "$("$work/cpp.build/publish_and_ask" "$examples/trips.csv" "$work/cpp-data")"
mkdir "$work/heads"
cp "$examples/trips.csv" "$work/heads"
for header in publish release query; do
  (cd "$work/heads" && "$work/cpp.build/$header") >>"$work/heads.log" || { cat "$work/heads.log"; exit 1; }
done
grep -q '"tables"' "$work/heads.log"

# ---- C, and what can call it ----
use_c() {
  export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
  mkdir "$work/c-data" "$work/c-head"
  cp "$examples/c/main.c" "$work/example.c"
  program_of stopover >"$work/head.c"
  for program in example head; do
    # shellcheck disable=SC2046
    cc -std=c99 -pedantic -Wall -Wextra -Werror "$work/$program.c" $(pkg-config --cflags --libs stopover) \
      -Wl,-rpath,"$work/prefix/lib" -o "$work/$program"
  done
  check_answer "C" "$("$work/example" "$examples/trips.csv" "$work/c-data")"
  cp "$examples/trips.csv" "$work/c-head"
  (cd "$work/c-head" && "$work/head") | grep '"estimate"'

  # Another language: what docs/internals/library.md shows
  sed -n '/^    import ctypes/,/^[^ ]/ s/^    //p' "$repository/docs/internals/library.md" >"$work/binding.py"
  check_answer "ctypes" "$(cd "$work/c-head" && LD_LIBRARY_PATH=$work/prefix/lib python3 "$work/binding.py")"
}
if [ -n "$sanitizers" ]; then echo "C is left out: sanitizers $sanitizers"; else use_c; fi

# ---- the programs ----
check_answer "shell" "$(PATH=$work/prefix/bin:$PATH "$examples/publish_and_ask.sh" "$work/shell")"
for program in stopover stopover-lab; do
  "$work/prefix/bin/$program" --help >/dev/null
  "$work/prefix/bin/$program" help --man | diff - "$work/prefix/share/man/man1/$program.1" || {
    echo "$program.1 is not the page that $program prints"
    exit 1
  }
done
share=$work/prefix/share
for shell in bash:bash-completion/completions/stopover zsh:zsh/site-functions/_stopover \
  fish:fish/vendor_completions.d/stopover.fish; do
  "$work/prefix/bin/stopover" completion "${shell%%:*}" | diff - "$share/${shell#*:}" || {
    echo "${shell#*:} is not what stopover completion ${shell%%:*} prints"
    exit 1
  }
done
[ "$("$work/prefix/bin/stopover" help glossary | sed -n 1p)" = Glossary ]
for linked in bin/stopover bin/stopover-lab lib/libstopover.so; do
  if ldd "$work/prefix/$linked" | grep -F duckdb | grep -vF "$work/prefix"; then
    echo "$linked does not take the libduckdb.so that was installed with it"
    exit 1
  fi
done
