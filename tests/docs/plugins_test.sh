#!/bin/bash
# Runs the blocks of docs/plugins.md marked "sh" and "python", one after the other, for a user who has
# nothing but a finished build, build/release, and an image, photo.png.
# Usage: plugins_test.sh BUILD_DIR DOCUMENT TESTIMAGES PYTHON
set -euo pipefail

build=$(realpath "$1")
document=$(realpath "$2")
images=$(realpath "$3")
python=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for program in convert gio gdk-pixbuf-thumbnailer h5dump h5repack pkg-config update-mime-database; do
  command -v $program >/dev/null || { echo "Skipped: $program is not installed"; exit; }
done
why=$("$python" -c 'import h5py, imageio, tifffile, zarr' 2>&1) ||
  { echo "Skipped: ${why##*$'\n'}"; exit; }

mkdir -p "$work/home" "$work/build"
ln -s "$build" "$work/build/release"
cp "$images/natural.png" "$work/photo.png"
cd "$work"
export HOME=$work/home PYTHONPATH=$build/lib/python python
unset XDG_DATA_HOME

# One script of all: Python gets its blocks on standard input.
awk '
  $0 == "```" { if (kind == "python") print "END_OF_BLOCK"; kind = ""; next }
  kind != "" { print }
  $0 == "```sh" { kind = "sh" }
  $0 == "```python" { kind = "python"; print "\"$python\" - <<\"END_OF_BLOCK\"" }
' "$document" >commands
[ "$(wc -l <commands)" -ge 40 ]
bash -euo pipefail -x commands 2>&1 | tee output

for line in '  standard::content-type: image/x-mmp' '            COMMENT mmp grayscale image codec'; do
  grep -qxF -- "$line" output || { echo "not printed: $line" >&2; exit 1; }
done
for file in near.zarr/0.0 five.h5 scan.mmp again.tif photo.mmp half.png thumbnail.png; do
  [ -s "$file" ] || { echo "not written: $file" >&2; exit 1; }
done
