#!/bin/bash
# Installs a finished build into a temporary folder, looks at what the library shows, and builds programs
# in C++ and C against it: by find_package (with the generator that CMAKE_GENERATOR names) and by
# pkg-config.
# Usage: install_test.sh BUILD_DIR CXX_COMPILER C_COMPILER VERSION
set -euo pipefail

build=$1
cxx=$2
cc=$3
version=$4
here=$(dirname "$(realpath "$0")")
source=$(realpath "$here/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

fail() {
  echo "$*" >&2
  exit 1
}

# expect_version COMMAND...: the command ends well, and its output begins with mmp's version.
expect_version() {
  local output
  output=$("$@")
  echo "$output"
  grep -q "^mmp $version:" <<<"$output" || fail "expected version $version, got: $output"
}

cmake --install "$build" --prefix "$prefix" >/dev/null

for file in bin/mmp share/man/man1/mmp.1 share/man/man1/mmp-encode.1 \
  share/bash-completion/completions/mmp share/zsh/site-functions/_mmp \
  share/fish/vendor_completions.d/mmp.fish; do
  [ ! -e "$prefix/bin/mmp" ] || [ -s "$prefix/$file" ] || fail "no $file"
done

libdir=$(dirname "$(find "$prefix" -name 'libmmp.*' | head -n 1)")
shared=$libdir/libmmp.so
static=$libdir/libmmp.a
if [ -e "$shared" ]; then is_static=OFF; else is_static=ON; fi

echo "== symbols"
if [ $is_static = OFF ]; then
  [ ! -e "$static" ] || fail "a static library beside the shared one"
  soname=$(objdump -p "$shared" | awk '$1 == "SONAME" { print $2 }')
  [ "$soname" = "libmmp.so.${version%.*}" ] || fail "soname $soname of version $version"
  [ "$(basename "$(realpath "$shared")")" = "libmmp.so.$version" ] || fail "no libmmp.so.$version"
  nm -D --defined-only -C "$shared" | sed -E 's/^[0-9a-f]+ . //' >"$work/symbols"
  # What programs in C see is what the header has.
  grep -oE '\bmmp_[a-z0-9_]+\(' "$prefix/include/mmp/mmp_c.h" | tr -d '(' | sort -u >"$work/declared"
  [ -s "$work/declared" ] || fail "mmp_c.h declares nothing"
  grep -E '^mmp_' "$work/symbols" | sort -u | diff "$work/declared" - ||
    fail "libmmp does not show the functions of mmp_c.h"
  # What programs in C++ see are functions, and those of the header.
  if grep -vE '^(mmp_[a-z0-9_]+|mmp::[A-Z][A-Za-z]+\(.*\)|mmp::[A-Z][A-Za-z]+\[abi:cxx11\]\(.*\))$' "$work/symbols"; then
    fail "libmmp shows what is none of mmp's functions"
  fi
  sed -nE 's/^mmp::([A-Z][A-Za-z]+).*/\1/p' "$work/symbols" | sort -u |
    while read -r name; do
      grep -qE "\b$name\(" "$prefix"/include/mmp/mmp*.h || fail "libmmp shows mmp::$name"
    done
  grep -q '^mmp::Encode(' "$work/symbols" || fail "libmmp does not show mmp::Encode"
else
  # All names that others' could clash with are in the namespace, or begin with mmp_.
  nm -g --defined-only "$static" | awk '$2 ~ /^[ABCDRTS]$/ { print $3 }' >"$work/symbols"
  [ -s "$work/symbols" ] || fail "libmmp.a is empty"
  if grep -vE '^(mmp_|_Z[A-Z]*N?K?3mmp|_ZGV(N|ZN)K?3mmp)' "$work/symbols"; then
    fail "libmmp.a has names that are not mmp's"
  fi
fi

build_example() {
  local example=$1
  shift
  if ! { cmake -S "$here/$example" -B "$work/$example" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" "$@" &&
    cmake --build "$work/$example"; } >"$work/log" 2>&1; then
    cat "$work/log" >&2
    fail "$example cannot be built"
  fi
}

echo "== find_package"
build_example example
expect_version "$work/example/example"
build_example c_example -DMMP_EXAMPLE_STATIC=$is_static
expect_version "$work/c_example/c_example"
if [ $is_static = ON ]; then
  message=$(cmake -S "$here/c_example" -B "$work/c_alone" -DCMAKE_PREFIX_PATH="$prefix" 2>&1 || true)
  tr -s ' \n' ' ' <<<"$message" | grep -q 'LANGUAGES C CXX' ||
    fail "a project in C alone is told: $message"
fi
if [ -e "$prefix/include/mmp/mmp_cuda.h" ]; then
  echo "== mmp::mmp_cuda"
  expect_version "$work/example/cuda_example"
fi

echo "== pkg-config"
export PKG_CONFIG_PATH=$libdir/pkgconfig
for static_flag in '' --static; do
  read -ra flags <<<"$(pkg-config --cflags --libs $static_flag mmp) -Wl,-rpath,$libdir"
  # The headers bear a user's warnings.
  "$cxx" -std=c++20 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror \
    "$here/example/example.cc" "${flags[@]}" -o "$work/by_pkg_config"
  expect_version "$work/by_pkg_config"
  "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "$source/tests/codec/c_api/mmp_c_test.c" \
    "${flags[@]}" -o "$work/mmp_c_test"
  expect_version "$work/mmp_c_test" "$source/codec/dictionary/standard_patterns.mmd"
done
[ "$(pkg-config --modversion mmp)" = "$version" ]
[ "$(realpath "$(pkg-config --variable=prefix mmp)")" = "$(realpath "$prefix")" ] ||
  fail "pkg-config names another prefix: $(pkg-config --variable=prefix mmp)"
