#!/bin/bash
# Installs the MIME type for a user, and asks what files are, by their names and by their bytes.
# Usage: mime_test.sh PROGRAM SOURCE_DIR
program=$(realpath "$1")
source=$(realpath "$2")
# shellcheck source=tests/tools/plugins/plugin_test.sh
. "$source/tests/tools/plugins/plugin_test.sh"
needs gio libglib2.0-bin

# type_of FILE
type_of() {
  gio info -a standard::content-type "$1" | sed -n 's/.*content-type: //p'
}

# expect_type FILE TYPE
expect_type() {
  local type
  type=$(type_of "$1")
  [ "$type" = "$2" ] || fail "the type of $1 is $type, not $2"
}

cd "$work"
for image in natural odd-1x1; do
  "$program" encode "$source/testimages/$image.png" -o $image.mmp --preset fast
  cp $image.mmp $image
done
: >empty.mmp
echo "MMP is the beginning of this text." >text.txt
echo "MMP is the beginning of this text." >text.mmp.txt
[ "$(type_of natural.mmp)" != image/x-mmp ] || fail "the type is known before it is installed"

install_mime_type "$source/tools/plugins/mime/mmp.xml"
for file in {natural,odd-1x1}{.mmp,} ; do expect_type "$file" image/x-mmp; done
for file in text.txt text.mmp.txt; do expect_type $file text/plain; done
