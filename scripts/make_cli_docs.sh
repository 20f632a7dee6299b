#!/usr/bin/env bash
# Prints docs/cli.md: the help of the program and of each of its commands.
#
# Usage: scripts/make_cli_docs.sh [PROGRAM] > docs/cli.md
set -euo pipefail
root=$(CDPATH= cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=${1:-$root/build/release/dragoman}
[[ -x $program ]] || { echo "make_cli_docs: $program is not there; build it first" >&2; exit 1; }

# The name of the program as a reader types it, wherever it was started from.
help_of() { (CDPATH= cd "$(dirname "$program")" && "./$(basename "$program")" "$@" --help) | sed 's/^Usage: [^ ]*dragoman/Usage: dragoman/'; }
block() { printf '```text\n%s\n```\n' "$1"; }

main_help=$(help_of)
commands=$(awk '/^Subcommands:/ { on = 1; next } on && /^  [a-z]/ { print $1 } on && /^[^ ]/ { on = 0 }' <<<"$main_help")
printf '# Command line\n\n<!-- Made by scripts/make_cli_docs.sh from --help; change the texts in src/app/. -->\n\n'
block "$main_help"
for command in $commands; do
  printf '\n## dragoman %s\n\n' "$command"
  block "$(help_of "$command")"
done
