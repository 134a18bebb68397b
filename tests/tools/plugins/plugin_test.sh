# What the scripts of this folder share; to be sourced.
# shellcheck shell=bash
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}

# needs PROGRAM DEBIAN_PACKAGE: skips the test where there is no such program.
needs() {
  command -v "$1" >/dev/null && return
  echo "Skipped: $1 is not installed (Debian: $2)"
  exit 0
}

# install_mime_type FILE: as a user does who has no other types of his own. Programs then have those of the
# system and this one.
install_mime_type() {
  needs update-mime-database shared-mime-info
  export XDG_DATA_HOME=$work/data
  mkdir -p "$XDG_DATA_HOME/mime/packages"
  cp "$1" "$XDG_DATA_HOME/mime/packages"
  update-mime-database "$XDG_DATA_HOME/mime"
}

# expect_refused TEXT COMMAND...: the command fails and says TEXT.
expect_refused() {
  local text=$1 output
  shift
  if output=$("$@" 2>&1); then fail "did not fail: $*"; fi
  grep -qF "$text" <<<"$output" || fail "$* was to say '$text', but: $output"
}
