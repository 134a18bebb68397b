#!/bin/bash
# Runs every command of the tutorial (its blocks marked "sh") in a temporary folder that has the
# test images as the project's has, and checks that all it says is printed (its blocks marked
# "text") is.
# Usage: tutorial_test.sh PROGRAM TUTORIAL TESTIMAGES
set -euo pipefail
# shellcheck source=tests/docs/document_blocks.sh
. "$(dirname "$0")/document_blocks.sh"

program=$(realpath "$1")
tutorial=$(realpath "$2")
images=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v cjpeg >/dev/null || { echo "Skipped: cjpeg (libjpeg-turbo-progs) is not installed"; exit; }

ln -s "$images" "$work/testimages"
cd "$work"
PATH=$(dirname "$program"):$PATH

blocks "$tutorial" sh >commands
[ "$(wc -l <commands)" -ge 10 ]
bash -euo pipefail -x commands 2>&1 | tee output

blocks "$tutorial" text >expected
[ -s expected ]
while IFS= read -r line; do
  grep -qxF -- "$line" output || { echo "not printed: $line" >&2; exit 1; }
done <expected
for file in {results,again}/report.html look/{index.html,filter.png}; do
  file=tryout/$file
  [ -s "$file" ] || { echo "not written: $file" >&2; exit 1; }
done
