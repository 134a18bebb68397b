#!/bin/bash
# Makes thumbnails by the loader of gdk-pixbuf, as file managers do.
# Usage: pixbuf_test.sh PROGRAM SOURCE_DIR LOADER QUERY_LOADERS
# QUERY_LOADERS is gdk-pixbuf's program that lists what loaders can.
program=$(realpath "$1")
source=$(realpath "$2")
loader=$(realpath "$3")
query_loaders=$4
# shellcheck source=tests/tools/plugins/plugin_test.sh
. "$source/tests/tools/plugins/plugin_test.sh"
needs gdk-pixbuf-thumbnailer libgdk-pixbuf2.0-bin
needs "$query_loaders" libgdk-pixbuf-2.0-0
install_mime_type "$source/tools/plugins/mime/mmp.xml"
cd "$work"

export GDK_PIXBUF_MODULE_FILE=$work/loaders.cache
"$query_loaders" "$loader" >"$GDK_PIXBUF_MODULE_FILE"
grep -q '^"image/x-mmp"' "$GDK_PIXBUF_MODULE_FILE" || fail "the loader has no type"

# What a file manager runs, by the installed entry: %s is the size, %u the image, %o the thumbnail.
entry=$source/tools/plugins/gdk_pixbuf/mmp.thumbnailer
needs "$(sed -n 's/^TryExec=//p' "$entry")" libgdk-pixbuf2.0-bin
grep -q '^MimeType=image/x-mmp;$' "$entry" || fail "the thumbnailer is for other files"

# thumbnail SIZE IMAGE THUMBNAIL
thumbnail() {
  local command
  command=$(sed -n 's/^Exec=//p' "$entry")
  command=${command/\%s/$1}
  command=${command/\%u/file://$work/$2}
  command=${command/\%o/$3}
  $command
}

# expect_same THUMBNAIL IMAGE.png: as if it were made of the PNG image itself.
expect_same() {
  thumbnail "$size" "$2" reference.png
  "$program" compare "$1" reference.png | grep -qE '^maximum difference +0$' || fail "$1 differs from $2"
}

for image in natural tomogram odd-17x1 odd-1x1; do
  cp "$source/testimages/$image.png" .
  "$program" encode $image.png -o $image.mmp --lambda 0
  for size in 48 128; do
    thumbnail $size $image.mmp $image-$size.png
    expect_same $image-$size.png $image.png
  done
done

head -c 1000 natural.mmp >damaged.mmp
expect_refused "the file is damaged" thumbnail 128 damaged.mmp damaged.png
[ ! -e damaged.png ] || fail "a damaged file has a thumbnail"
