# shellcheck shell=sh
# shellcheck disable=SC2154 # install.sh joins these files
# The first filing, of documents and of all sessions.

# Runs a feeder from the checkout; a problem is reported and the run continues.
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
    warn "$feeder: another run is using the palace. Run it again later."
    remember 11
    ;;
  130 | 143) exit "$feed_status" ;;
  *)
    warn "$feeder failed (exit $feed_status)."
    remember 1
    ;;
  esac
}

# Succeeds if there is no opencode database. The real run reports all other problems.
has_no_opencode() {
  if answer=$("$ROOT/bin/mempalace-session" --dry-run --json --limit 1 2>&1); then return 1; fi
  printf '%s\n' "$answer" | grep -qi -e '"code": *"not-found"' -e 'no opencode database'
}

backfill() {
  if [ "$DRY" = yes ]; then
    did filed "${FOLDER:+the documents of $FOLDER, and }opencode's sessions"
    return
  fi
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
