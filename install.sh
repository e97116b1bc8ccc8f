#!/bin/sh
# Installs the toolkit from its checkout: packages, build, links in ~/.local/bin, and on request the first
# backfill. Needs Node >= 20 and npm; no git, no root. Running it again changes only what has to change.
set -eu

usage() {
  cat <<'USAGE'
Usage: ./install.sh [--prefix DIR] [--backfill [FOLDER]]

Installs the packages, builds, and links mempalace, mempalace-docs and
mempalace-session into ~/.local/bin.

  --prefix DIR         link into DIR/bin instead of ~/.local/bin
  --backfill [FOLDER]  then file FOLDER's documents and all opencode sessions;
                       without FOLDER the sessions only
  --help               show this

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but something was held back
(named above), 11 another run holds the palace, 130/143 interrupted
USAGE
}

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

# What the run ends with when it goes on after a problem: the first failure, else 3, "held back".
STATUS=0
remember() {
  if [ "$STATUS" -eq 0 ] || [ "$STATUS" -eq 3 ]; then STATUS=$1; fi
}

absolute() { (CDPATH='' cd -- "$1" && pwd -P); }

# Wrong usage and missing folders are told before anything is installed.
parse_arguments() {
  PREFIX='' BACKFILL=no FOLDER=''
  while [ $# -gt 0 ]; do
    case $1 in
    --prefix)
      [ -n "${2-}" ] || wrong_usage "--prefix needs a folder"
      PREFIX=$2
      shift
      ;;
    --prefix=?*) PREFIX=${1#--prefix=} ;;
    --backfill)
      BACKFILL=yes
      case ${2-} in
      '' | -*) ;;
      *)
        FOLDER=$2
        shift
        ;;
      esac
      ;;
    --backfill=?*)
      BACKFILL=yes
      FOLDER=${1#--backfill=}
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) wrong_usage "unknown argument: $1" ;;
    esac
    shift
  done
  if [ -n "$FOLDER" ]; then
    [ -d "$FOLDER" ] || wrong_usage "--backfill: not a folder: $FOLDER"
    FOLDER=$(absolute "$FOLDER")
  fi
}

find_places() {
  if [ -z "${HOME-}" ] || [ ! -d "$HOME" ]; then
    fail "HOME is not set to a folder: the palace and the links belong there. Set it and run this again."
  fi
  BIN=$HOME/.local/bin
  if [ -n "$PREFIX" ]; then
    mkdir -p -- "$PREFIX" || fail "cannot make $PREFIX"
    BIN=$(absolute "$PREFIX")/bin
  fi
  ROOT=$(absolute "$(dirname -- "$0")")
  cd "$ROOT"
  for needed in package.json package-lock.json bin/mempalace bin/mempalace-docs bin/mempalace-session; do
    [ -f "$needed" ] || fail "$ROOT/$needed is missing: run install.sh from a complete checkout."
  done
}

check_node() {
  cure='Install Node 20 or newer from https://nodejs.org, with nvm (nvm install 22), or with your package manager.'
  command -v node >/dev/null 2>&1 || fail "Node is not installed. $cure"
  version=$(node -p 'process.versions.node') || fail "node does not run. $cure"
  if [ "${version%%.*}" -lt 20 ]; then fail "Node $version is too old: 20 or newer is needed. $cure"; fi
  command -v npm >/dev/null 2>&1 ||
    fail "npm is not installed (Debian and Ubuntu: sudo apt install npm, or Node with npm from https://nodejs.org)."
  say "Node $version, npm $(npm --version)."
}

compiler_help() {
  missing=
  for tool in make g++ python3; do
    command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
  done
  if [ -n "$missing" ]; then warn "Not found here:$missing."; fi
  warn "better-sqlite3 is compiled where no ready-made binary can be fetched, and that needs make, g++ and python3:"
  warn "  Debian, Ubuntu: sudo apt install make g++ python3"
  warn "  Fedora:         sudo dnf install make gcc-c++ python3"
  warn "  macOS:          xcode-select --install"
  warn "The compiler also needs Node's headers, which are downloaded unless they lie beside node (in include/node)"
  warn "or npm_config_nodedir names the folder above them. Then run ./install.sh again."
}

# Runs npm without its chatter; when it fails, everything it said is shown.
quiet_npm() {
  LOG=$(mktemp "${TMPDIR:-/tmp}/mempalace-install.XXXXXX")
  npm_status=0
  npm "$@" --loglevel=error >"$LOG" 2>&1 || npm_status=$?
  if [ "$npm_status" -ne 0 ]; then
    cat "$LOG" >&2
    warn "npm $* failed (exit $npm_status); what it said is above."
    if grep -q -e better-sqlite3 -e node-gyp "$LOG"; then compiler_help; fi
  fi
  remove_log
  return "$npm_status"
}
LOG=
remove_log() {
  if [ -n "$LOG" ]; then rm -f "$LOG"; fi
  LOG=
}

# The lockfile and everything a native module is built for.
fingerprint() {
  node -e '
    const hash = require("crypto").createHash("sha256").update(require("fs").readFileSync("package-lock.json"));
    console.log([hash.digest("hex"), process.versions.modules, process.platform, process.arch].join(" "))'
}

opens_database() { node -e 'new (require("better-sqlite3"))(":memory:").close()' >/dev/null 2>&1; }

loads_natives() {
  node -e '
    const db = new (require("better-sqlite3"))(":memory:");
    require("sqlite-vec").load(db);
    db.close();
    require("onnxruntime-node")'
}

install_packages() {
  export npm_config_update_notifier=false
  stamp=node_modules/.mempalace-install
  wanted=$(fingerprint)
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    say "Packages are up to date."
  else
    rm -f "$stamp"
    say "Installing packages."
    # The build needs the development packages, which NODE_ENV=production would leave out.
    quiet_npm ci --include=dev --no-audit --no-fund || exit 1
    say "Packages are installed."
  fi
  # No package runs scripts at install (.npmrc): the one native module is built here.
  if ! trouble=$(loads_natives 2>&1); then
    rm -f "$stamp"
    if ! opens_database; then
      say "Building better-sqlite3 (about a minute, once)."
      if ! trouble=$(node scripts/native.mjs 2>&1); then
        printf '%s\n' "$trouble" >&2
        compiler_help
        exit 1
      fi
    fi
    if ! trouble=$(loads_natives 2>&1); then
      printf '%s\n' "$trouble" >&2
      fail "sqlite-vec or onnxruntime-node does not load here (see above). There are builds for Linux with glibc, macOS on Apple silicon, and Windows; none for Intel Macs or Alpine."
    fi
  fi
  printf '%s\n' "$wanted" >"$stamp"
}

# True for a link that an install of this toolkit made: from a checkout that is gone, or from another one.
is_ours() {
  [ -h "$1" ] || return 1
  old=$(readlink "$1")
  case $old in */bin/"${1##*/}") ;; *) return 1 ;; esac
  [ -e "$1" ] || return 0
  grep -q '"name": *"mempalace-toolkit"' "${old%/bin/*}/package.json" 2>/dev/null
}

link_launchers() {
  mkdir -p -- "$BIN" || fail "cannot make $BIN"
  for launcher in "$ROOT"/bin/*; do
    link=$BIN/${launcher##*/}
    if [ -h "$link" ] && [ "$(readlink "$link")" = "$launcher" ]; then
      say "$link is linked already."
    elif is_ours "$link"; then
      rm -f -- "$link"
      ln -s -- "$launcher" "$link"
      say "Linked $link; it pointed to $old."
    elif [ -e "$link" ] || [ -h "$link" ]; then
      warn "$link belongs to something else (another program of that name?) and was left alone."
      warn "  Move it away and run this again, or link elsewhere with --prefix."
      remember 3
    else
      ln -s -- "$launcher" "$link"
      say "Linked $link."
    fi
  done
}

advise_path() {
  case :${PATH-}: in
  *:"$BIN":*)
    first=$(command -v mempalace || :)
    if [ -e "$BIN/mempalace" ] && [ "$first" != "$BIN/mempalace" ]; then
      warn "on your PATH, $first comes before $BIN/mempalace."
    fi
    return
    ;;
  esac
  case $BIN in
  "$HOME"/*) shown="\$HOME/${BIN#"$HOME"/}" ;;
  *) shown=$BIN ;;
  esac
  line="export PATH=\"$shown:\$PATH\""
  say "$BIN is not on your PATH. Put it there, then open a new terminal:"
  case ${SHELL-} in
  */zsh) say "  echo '$line' >> ~/.zshrc" ;;
  */bash) say "  echo '$line' >> ~/.bashrc" ;;
  */fish) say "  fish_add_path \"$shown\"" ;;
  *) say "  echo '$line' >> ~/.profile" ;;
  esac
}

# Runs a feeder from the checkout; a problem is told and the run goes on.
feed() {
  feeder=$1
  shift
  feed_status=0
  "$ROOT/bin/$feeder" "$@" || feed_status=$?
  case $feed_status in
  0) ;;
  3)
    warn "$feeder is done, but something was held back or could not be read (named above)."
    remember 3
    ;;
  11)
    warn "$feeder: another run holds the palace. Run it again when that one has ended."
    remember 11
    ;;
  130 | 143) exit "$feed_status" ;;
  *)
    warn "$feeder failed (exit $feed_status)."
    remember 1
    ;;
  esac
}

# True when there is no opencode database to read. Every other trouble is the real run's to tell.
has_no_opencode() {
  if told=$("$ROOT/bin/mempalace-session" --dry-run --json --limit 1 2>&1); then return 1; fi
  printf '%s\n' "$told" | grep -qi -e '"code": *"not-found"' -e 'no opencode database'
}

backfill() {
  if [ -n "$FOLDER" ]; then
    say "Filing the documents of $FOLDER."
    feed mempalace-docs "$FOLDER"
  fi
  if has_no_opencode; then
    say "There is no opencode database on this machine, so there are no sessions to file."
    say "Once opencode has been used here, run: mempalace-session"
  else
    say "Filing opencode's sessions."
    feed mempalace-session
  fi
}

trap remove_log EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

parse_arguments "$@"
find_places
check_node
install_packages
quiet_npm run build || exit 1
say "Built."
link_launchers
advise_path
if [ "$BACKFILL" = yes ]; then backfill; fi
case $STATUS in
0) say "Done. Next: mempalace search \"a question\", or mempalace status." ;;
3) say "Done, but something was held back (see above)." ;;
*) warn "installed, but the backfill did not finish (see above). It can simply be run again." ;;
esac
exit "$STATUS"
