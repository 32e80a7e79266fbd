#!/usr/bin/env bash
# Installs the build into an empty prefix and builds and runs a small project that only knows find_package(stopover).
# The prefix is then moved: nothing in it may depend on where it was. If the programs exist, they must start from there.
#
#   package_test.sh BUILD_DIR CONSUMER_DIR COMPILER
set -euo pipefail
build=$1 consumer=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
mv "$work/first" "$work/prefix"
if find "$work/prefix" -name '*testing*' | grep .; then
  echo "the testing room must not be installed"
  exit 1
fi
unset DUCKDB_ROOT
cmake -S "$consumer" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Release >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build"
mkdir "$work/data"
answer=$("$work/build/consumer" "$work/data")
echo "$answer"
[ "$answer" = "published and asked" ]

for program in stopover stopover-lab; do
  env -u LD_LIBRARY_PATH "$work/prefix/bin/$program" --help >/dev/null
  env -u LD_LIBRARY_PATH "$work/prefix/bin/$program" help --man | diff - "$work/prefix/share/man/man1/$program.1" || {
    echo "$program.1 is not the page that $program prints"
    exit 1
  }
  if ldd "$work/prefix/bin/$program" | grep -F duckdb | grep -vF "$work/prefix"; then
    echo "$program does not take the libduckdb.so that was installed with it"
    exit 1
  fi
done
