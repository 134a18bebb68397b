#!/bin/bash
# Reads and writes files by ImageMagick with the delegates that the program is installed with.
# Usage: imagemagick_test.sh PROGRAM SOURCE_DIR
program=$(realpath "$1")
source=$(realpath "$2")
# shellcheck source=tests/tools/plugins/plugin_test.sh
. "$source/tests/tools/plugins/plugin_test.sh"
needs convert imagemagick
needs compare imagemagick
PATH=$(dirname "$program"):$PATH
export MAGICK_CONFIGURE_PATH=$source/tools/plugins/imagemagick
cp "$source"/testimages/{natural,gradient,odd-33x31}.png "$work"
cd "$work"

# expect_same A B: no pixel differs.
expect_same() {
  local differing
  differing=$(compare -metric AE "$1" "$2" null: 2>&1) || true
  [ "$differing" = 0 ] || fail "$1 and $2 differ in pixels: $differing"
}

echo "== as the program"
convert odd-33x31.png magick.mmp  # with the date, which it adds to the metadata
mmp encode odd-33x31.png -o program.mmp
convert magick.mmp magick.png
mmp decode program.mmp -o program.png
expect_same magick.png program.png

echo "== lossless"
convert natural.png mmp-lossless:lossless.mmp
mmp info lossless.mmp | grep -qE '^lossless +yes$' || fail "not lossless"
convert lossless.mmp lossless.png
expect_same natural.png lossless.png

echo "== 16 bits, and names with blanks"
convert gradient.png -depth 16 -evaluate multiply 0.7 deep.png
convert deep.png 'mmp-lossless:a deep one.mmp'
mmp info 'a deep one.mmp' | grep -qE '^depth +16$' || fail "not of 16 bits"
convert 'a deep one.mmp' again.png
expect_same deep.png again.png

echo "== standard output has the image alone"
convert lossless.mmp png:- >piped.png
expect_same natural.png piped.png
[ "$(identify -format '%wx%h' lossless.mmp)" = 256x256 ] || fail "identify does not know the size"
convert lossless.mmp -resize 50% mmp-lossless:half.mmp
mmp info half.mmp | grep -qE '^size +128x128$' || fail "not of half the size"

echo "== damaged files"
head -c 1000 lossless.mmp >damaged.mmp
expect_refused "the file is damaged" convert damaged.mmp damaged.png
[ ! -e damaged.png ] || fail "a damaged file was converted"
