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

# Succeeds if no agent has sessions here. The real run reports all other problems.
has_no_sessions() {
  if answer=$("$ROOT/bin/mempalace-session" --dry-run --json --limit 1 --since 1d 2>&1); then return 1; fi
  printf '%s\n' "$answer" | grep -qi -e '"code": *"not-found"' -e 'no opencode database'
}

# The schedule keeps what is listed current.
list_project() {
  if "$ROOT/bin/mempalace" projects add "$FOLDER" --quiet >/dev/null; then
    did listed "$FOLDER (mempalace projects)"
  else
    skipped "$FOLDER is not listed as a project: see above"
  fi
}

backfill() {
  if [ "$DRY" = yes ]; then
    if [ -n "$FOLDER" ]; then did listed "$FOLDER (mempalace projects)"; fi
    did filed "${FOLDER:+the documents of $FOLDER, and }the sessions of your agents"
    return
  fi
  if [ -n "$FOLDER" ]; then
    say "Filing the documents of $FOLDER."
    feed mempalace-docs "$FOLDER"
    list_project
  fi
  if has_no_sessions; then
    say "No agent has sessions on this machine, so there are none to file."
    say "Once you have used one here, run: mempalace-session"
  else
    say "Filing the sessions of your agents."
    feed mempalace-session
  fi
}
