#!/bin/sh
# Installs the toolkit from its checkout, updates it, checks the installation, and removes it.
# Needs Node >= 20 and npm, but not root. A second run makes only necessary changes, and every step prints
# its result. The steps are in scripts/install, one job per file.
set -eu

usage() {
  cat <<'USAGE'
Usage: ./install.sh [options]

Installs the packages, builds, and links mempalace, mempalace-docs,
mempalace-session and mempalace-mcp into ~/.local/bin, their manuals and
completions into ~/.local/share, and the skill for agents into ~/.agents/skills;
where pi is, the extension into ~/.pi/agent/extensions (contrib/pi/README.md).
At a terminal it then asks whether to set up your agents (mempalace setup), and
whether to file what is new every week.
Where better-sqlite3 has no binary: a C++ compiler, make and python3.

  --schedule WAY       file new sessions every week with systemd, launchd or
                       cron, or none (default: asks at a terminal, else none)
  --backfill [FOLDER]  file FOLDER's documents and the sessions of every agent
                       now, and list FOLDER as a project; without FOLDER only
                       the sessions
  --path               put the programs on PATH in the file of your shell (bash,
                       zsh, fish; else .profile); else the line is only shown
  --prefix DIR         link into DIR/bin and DIR/share instead of ~/.local
  --prune              remove packages that only the build and the tests need,
                       even if they were installed before (default: only those
                       that this run installs)
  --dry-run            show what would be done; change nothing

Instead of installing:
  --check              show what is installed; exit with 1 unless it is
                       complete and up to date
  --update             pull (git, fast-forward only), install the changes, and
                       migrate the palace (a backup is kept)
  --uninstall [--yes]  undo mempalace setup; remove schedules, MCP entries,
                       links, manuals, completions, the skill, pi's extension
                       and the PATH line; the palace stays
  --uninstall --purge  remove the palace, its backups, the settings, models and
                       caches, too; asks first, or needs --yes
  --help               show this

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but something was held back
(named above), 11 another run is using the palace, 130/143 interrupted
USAGE
}

ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
if ! [ -f "$ROOT/scripts/install/report.sh" ]; then
  echo "install.sh: $ROOT/scripts/install is missing: run install.sh from a complete checkout." >&2
  exit 1
fi
# shellcheck source-path=SCRIPTDIR
. "$ROOT/scripts/install/report.sh"
. "$ROOT/scripts/install/places.sh"
. "$ROOT/scripts/install/packages.sh"
. "$ROOT/scripts/install/links.sh"
. "$ROOT/scripts/install/path.sh"
. "$ROOT/scripts/install/schedule.sh"
. "$ROOT/scripts/install/backfill.sh"
. "$ROOT/scripts/install/clients.sh"
. "$ROOT/scripts/install/check.sh"
. "$ROOT/scripts/install/update.sh"
. "$ROOT/scripts/install/uninstall.sh"

# Wrong usage and missing folders are reported before anything is done.
parse_arguments() {
  MODE=install PREFIX='' BACKFILL=no FOLDER='' SCHEDULE='' WRITE_PATH=no PRUNE=no DRY=no YES=no PURGE=no UPDATED_FROM=''
  while [ $# -gt 0 ]; do
    case $1 in
    --prefix | --schedule | --updated-from)
      case ${2-} in '' | -*) wrong_usage "$1 needs a value" ;; esac
      option=$1 value=$2
      shift 2
      set -- "$option=$value" "$@"
      continue
      ;;
    --prefix=?*) PREFIX=${1#*=} ;;
    --schedule=?*) SCHEDULE=${1#*=} ;;
    # What --update passes on to the install.sh that it pulled.
    --updated-from=?*) UPDATED_FROM=${1#*=} ;;
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
      FOLDER=${1#*=}
      ;;
    --path) WRITE_PATH=yes ;;
    --prune) PRUNE=yes ;;
    --dry-run) DRY=yes ;;
    --yes) YES=yes ;;
    --purge) PURGE=yes ;;
    --check | --update | --uninstall)
      [ "$MODE" = install ] || wrong_usage "--$MODE and $1 exclude each other"
      MODE=${1#--}
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) wrong_usage "unknown argument: $1" ;;
    esac
    shift
  done
  check_arguments
}

check_arguments() {
  case $SCHEDULE in
  '' | systemd | launchd | cron | none) ;;
  *) wrong_usage "--schedule takes systemd, launchd, cron or none, not $SCHEDULE" ;;
  esac
  if [ "$MODE" != uninstall ]; then
    [ "$PURGE" = no ] || wrong_usage "--purge needs --uninstall"
    [ "$YES" = no ] || wrong_usage "--yes needs --uninstall"
  fi
  case $MODE in
  check | uninstall)
    [ "$BACKFILL$WRITE_PATH$PRUNE$SCHEDULE" = nonono ] ||
      wrong_usage "--$MODE takes neither --backfill nor --path nor --prune nor --schedule"
    ;;
  esac
  if [ -n "$FOLDER" ]; then
    [ -d "$FOLDER" ] || wrong_usage "--backfill: not a folder: $FOLDER"
    FOLDER=$(absolute "$FOLDER")
  fi
}

install() {
  check_writable
  check_node
  record_node
  install_packages
  build
  prune_packages
  link_programs
  link_share
  link_skill
  link_pi
  put_on_path
  bring_palace_up_to_date
  install_schedule
  if [ "$BACKFILL" = yes ]; then backfill; fi
  run_doctor
  if [ "$DRY" = yes ]; then
    say "A dry run: nothing was changed."
    return
  fi
  case $STATUS in
  0) say "Done." ;;
  3) say "Done, but something was held back (see above)." ;;
  *)
    warn "installed, but some steps failed (see above). Run it again."
    return
    ;;
  esac
  # What works in this terminal.
  program=mempalace
  case :${PATH-}: in
  *:"$BIN":*) ;;
  *) program="\"$(quotable "$BIN/mempalace")\"" ;;
  esac
  say_next() { printf '  %-30s  %s\n' "$program $1" "$2"; }
  setup_now=no
  if at_a_terminal && [ -z "$UPDATED_FROM" ]; then setup_now=yes; fi
  if [ "$setup_now" = yes ]; then
    say "Setting up the agents of this machine (mempalace setup)."
    # Not the project: this folder is the toolkit's own.
    steps=mcp,hooks,skill
    if [ "$BACKFILL" = no ]; then steps=$steps,history; fi
    "$ROOT/bin/mempalace" setup --only "$steps" || say "Not every agent was set up (see above). Later: mempalace setup"
    offer_schedule
  fi
  say "Next:"
  if [ "$setup_now" = no ]; then say_next setup "let your agents remember by themselves"; fi
  say_next 'search "a question"' "find what was filed"
  say_next ui "look at it in a browser"
}

# The program checks everything; it may find problems that this run did not cause.
run_doctor() {
  if [ "$DRY" = yes ]; then return; fi
  if ! help=$("$ROOT/bin/mempalace" --help 2>&1); then
    warn "mempalace does not run: $help"
    remember 1
    return
  fi
  case $help in
  *"  doctor"*) ;;
  *) return ;;
  esac
  say "Checks of mempalace doctor:"
  if ! "$ROOT/bin/mempalace" doctor; then
    warn "mempalace doctor found problems (see above)."
    remember 3
  fi
}

main() {
  parse_arguments "$@"
  find_places
  cd "$ROOT"
  case $MODE in
  install) install ;;
  check) check ;;
  update) update ;;
  uninstall) uninstall ;;
  esac
  # Not on its own line below: --update may change this file while the shell reads it.
  exit "$STATUS"
}

trap 'stop_clock; remove_log' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
main "$@"
