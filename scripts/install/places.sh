# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # install.sh joins these files
# Paths of the installation, and whether they are writable.

SKILLS_FOLDER=.agents/skills
PI_EXTENSION=contrib/pi/mempalace.ts

absolute() { (CDPATH='' cd -- "$1" && pwd -P); }

find_places() {
  if [ -z "${HOME-}" ] || [ ! -d "$HOME" ]; then
    fail "HOME is not set to a folder, which the palace and the links need. Set it and run this again."
  fi
  case $PREFIX in
  '') PREFIX=$HOME/.local ;;
  /*) ;;
  *) PREFIX=$PWD/$PREFIX ;;
  esac
  if [ -d "$PREFIX" ]; then PREFIX=$(absolute "$PREFIX"); fi
  PREFIX=${PREFIX%/}
  BIN=$PREFIX/bin
  CONFIG=$(xdg "${XDG_CONFIG_HOME-}" .config)
  SHARE=$PREFIX/share
  # The name that it always had, and the one that users of pi look for.
  SKILL_LINK=$HOME/$SKILLS_FOLDER/opencode-mempalace-bridge/SKILL.md
  SKILL_LINK_OF_PI=$HOME/$SKILLS_FOLDER/mempalace/SKILL.md
  PI=${PI_CODING_AGENT_DIR:-$HOME/.pi/agent}
  PI_LINK=$PI/extensions/mempalace.ts
  NODE_FILE=$ROOT/.node-path
  PREFIX_FILE=$ROOT/.prefix
  # Folders and shell files that install.sh made, and --uninstall removes if they are empty.
  MADE_FILE=$ROOT/.made-folders
  for needed in package.json package-lock.json bin/mempalace bin/mempalace-docs bin/mempalace-mcp bin/mempalace-session; do
    [ -f "$ROOT/$needed" ] || fail "$ROOT/$needed is missing: run install.sh from a complete checkout."
  done
}

# The nearest folder that exists, at or above a path.
nearest() {
  near=$1
  while [ ! -d "$near" ]; do
    if [ -e "$near" ] || [ -h "$near" ]; then fail "$near is not a folder, but a folder is needed there."; fi
    case $near in
    /*/*) near=${near%/*} ;;
    *) near=/ ;;
    esac
  done
  printf '%s\n' "$near"
}

# Checked before a minute is spent on packages.
check_writable() {
  for place in "$ROOT" "$BIN" "$SHARE"; do
    near=$(nearest "$place") || exit 1
    [ -w "$near" ] || fail "cannot write in $near: is it writable for you?$(prefix_help "$place")"
  done
  if [ -n "${SUDO_USER-}" ] && [ "$(id -u)" -eq 0 ]; then
    warn "no sudo is needed: this installs for $(id -un) in $HOME."
  fi
}

prefix_help() {
  if [ "$1" != "$ROOT" ]; then printf ' %s' "Another place is named with --prefix."; fi
}

# Makes a folder and records new ones, so that --uninstall removes no others.
make_folder() {
  if [ -d "$1" ] || [ "$DRY" = yes ]; then return 0; fi
  near=$1
  while [ -n "$near" ] && [ ! -e "$near" ]; do
    printf '%s\n' "$near" >>"$MADE_FILE"
    near=${near%/*}
  done
  mkdir -p -- "$1" 2>/dev/null
}
