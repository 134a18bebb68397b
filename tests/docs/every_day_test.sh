#!/bin/bash
# Runs the README's commands of every day, one after the other, in a temporary folder with small
# images.
# Usage: every_day_test.sh PROGRAM README TESTIMAGES
set -euo pipefail

program=$(realpath "$1")
readme=$(realpath "$2")
images=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
cp "$images/odd-33x31.png" photo.png
cp "$images/odd-17x1.png" scan.png
mkdir scans
cp "$images/odd-65x3.png" scans/a.png
PATH=$(dirname "$program"):$PATH

awk '/^## / { inside = $0 == "## Every day" } inside && /^    mmp / { print }' "$readme" >commands
[ "$(wc -l <commands)" -ge 10 ]
bash -euo pipefail -x commands

for file in photo.mmp scan.mmp coded/{photo,scan,a.png}.mmp decoded.png results/report.html \
  mine.mmd look/index.html; do
  [ -s "$file" ] || { echo "not written: $file" >&2; exit 1; }
done
cmp photo.png "$images/odd-33x31.png" # as it was
