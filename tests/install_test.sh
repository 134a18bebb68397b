#!/bin/bash
# Installs a finished build into a temporary folder and builds tests/install_example against it, by
# find_package (with the generator that CMAKE_GENERATOR names) and by pkg-config.
# Usage: install_test.sh BUILD_DIR CXX_COMPILER VERSION
set -euo pipefail

build=$1
compiler=$2
version=$3
example=$(dirname "$(realpath "$0")")/install_example
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expect_version() {
  grep -q "^mmp $version:" <<<"$1" || { echo "expected version $version, got: $1" >&2; exit 1; }
}

cmake --install "$build" --prefix "$work/prefix" >/dev/null

for file in bin/mmp share/man/man1/mmp.1 share/man/man1/mmp-encode.1 \
  share/bash-completion/completions/mmp share/zsh/site-functions/_mmp \
  share/fish/vendor_completions.d/mmp.fish; do
  [ ! -e "$work/prefix/bin/mmp" ] || [ -s "$work/prefix/$file" ] || { echo "no $file" >&2; exit 1; }
done

echo "== find_package"
cmake -S "$example" -B "$work/example" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/example"
output=$("$work/example/example")
echo "$output"
expect_version "$output"
if [ -e "$work/prefix/include/mmp/mmp_cuda.h" ]; then
  echo "== mmp::mmp_cuda"
  output=$("$work/example/cuda_example")
  echo "$output"
  expect_version "$output"
fi

echo "== pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name mmp.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs --static mmp)"
"$compiler" -std=c++20 -O1 "$example/example.cc" "${flags[@]}" -o "$work/by_pkg_config"
output=$("$work/by_pkg_config")
echo "$output"
expect_version "$output"
[ "$(pkg-config --modversion mmp)" = "$version" ]
