#!/bin/bash
# Builds the page that decodes, for the tests of it. Usage: build_page.sh PAGE FOLDER
set -euo pipefail
if ! command -v em++ >/dev/null; then
  echo "Skipped: em++ is not installed (tools/install-dependencies web)"
  exit 0
fi
"$(dirname "$0")/../../../tools/web/build" "$1" "$2"
