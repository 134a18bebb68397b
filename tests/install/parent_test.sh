#!/bin/bash
# Makes mmp a part of another project by add_subdirectory: tests/install/parent. First as the static
# library that it is by default, which is configured only; then as a shared one, which is built and
# then installed and tried as install_test.sh does.
# Usage: parent_test.sh CXX_COMPILER C_COMPILER VERSION
set -euo pipefail

cxx=$1
cc=$2
version=$3
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

configure() {
  local build=$1
  shift
  cmake -S "$here/parent" -B "$build" -DMMP_SOURCE_DIR="$(realpath "$here/../..")" \
    -DCMAKE_CXX_COMPILER="$cxx" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}

echo "== static"
configure "$work/static"
grep -q '^CMAKE_BUILD_TYPE:STRING=$' "$work/static/CMakeCache.txt" ||
  { echo "mmp gave its parent a build type" >&2; exit 1; }

echo "== shared"
# Without optimisation: it is compiled sooner.
configure "$work/shared" -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Debug -DMMP_INSTALL=ON
cmake --build "$work/shared" -j "$(nproc)" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
"$work/shared/parents_programs/example"
"$here/install_test.sh" "$work/shared" "$cxx" "$cc" "$version"
