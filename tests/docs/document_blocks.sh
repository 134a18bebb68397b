# shellcheck shell=bash
# blocks DOCUMENT KIND: the lines of a document's code blocks that are marked KIND.
blocks() {
  awk -v begin="\`\`\`$2" '$0 == "```" { inside = 0 } inside { print } $0 == begin { inside = 1 }' "$1"
}
