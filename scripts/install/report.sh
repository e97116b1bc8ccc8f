# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # install.sh joins these files
# Output of install.sh: one line per step on stdout, problems on stderr.

say() { printf '%s\n' "$*"; }
warn() { printf 'install.sh: %s\n' "$*" >&2; }
fail() {
  warn "$@"
  exit 1
}
wrong_usage() {
  warn "$1"
  warn "see ./install.sh --help"
  exit 2
}

# The exit code after problems: the first failure, else 3, "held back".
STATUS=0
remember() {
  if [ "$STATUS" -eq 0 ] || [ "$STATUS" -eq 3 ]; then STATUS=$1; fi
}

# A step and its result: "linked", "unchanged", "skipped" and the like.
row() { printf '%-10s %s\n' "$1" "$2"; }

# The same for a change, which a dry run only announces.
did() {
  if [ "$DRY" = yes ]; then printf 'would be %s: %s\n' "$1" "$2"; else row "$1" "$2"; fi
}

skipped() {
  row skipped "$1" >&2
  remember 3
}

# Runs a command, except in a dry run.
doing() { if [ "$DRY" = no ]; then "$@"; fi; }

at_a_terminal() { [ -t 0 ] && [ -t 1 ]; }

# Asks a question; the answer is in ANSWER. False at the end of input.
ask() {
  printf '%s ' "$1"
  IFS= read -r ANSWER && return
  say ''
  return 1
}
