# shellcheck shell=sh
# shellcheck disable=SC2154 # install.sh joins these files
# Uninstalls: schedules first, since they start the programs; then the links; with --purge the data, too.

uninstall() {
  if [ "$PURGE" = yes ]; then
    find_palace
    confirm_purge
  fi
  remove_schedules
  # While the program still exists. The undo restores files to the byte, as long as nothing else has changed them.
  undo_setup
  remove_mcp_entries
  remove_broker_service
  stop_broker
  name_hooks
  unlink_everything
  remove_path_lines
  if [ "$PURGE" = yes ]; then purge; fi
  remove_made
  doing rm -f -- "$NODE_FILE" "$PREFIX_FILE"
  if [ "$DRY" = yes ]; then
    say "A dry run: nothing was changed."
    return
  fi
  if [ "$PURGE" = no ]; then
    say "Your palace, its settings, logs and caches stay (--uninstall --purge deletes them)."
  fi
  say "Done. You can delete the checkout: $ROOT"
}

confirm_purge() {
  if [ "$YES" = yes ] || [ "$DRY" = yes ]; then return; fi
  at_a_terminal || wrong_usage "--purge deletes the palace permanently: without a terminal it needs --yes"
  ask "Delete the palace in $PALACE with its backups, the settings, identity.txt, models, logs and caches permanently? Type yes:" || ANSWER=
  if [ "$ANSWER" != yes ]; then
    say "Nothing was changed."
    exit 0
  fi
}

# The next call of an agent would start it again, but its entry is gone.
stop_broker() {
  if [ "$DRY" = yes ]; then return; fi
  "$ROOT/bin/mempalace" broker stop --quiet >/dev/null 2>&1 || :
}

# The palace according to the program, or without it, according to the environment.
find_palace() {
  PALACE=$("$ROOT/bin/mempalace" config show --json 2>/dev/null |
    sed -n 's/.*"settings":{"palace":"\([^"\\]*\)".*/\1/p')
  if [ -n "$PALACE" ]; then return; fi
  PALACE=${MEMPALACE_PALACE_PATH:-$HOME/.mempalace/palace}
  config=${MEMPALACE_CONFIG:-$(xdg "${XDG_CONFIG_HOME-}" .config)/mempalace/config.yaml}
  if [ -z "${MEMPALACE_PALACE_PATH-}" ] && grep -q '^palace:' "$config" 2>/dev/null; then
    fail "mempalace does not run, and $config names the palace: run ./install.sh, then this again. Nothing was changed."
  fi
}

# Only files with our names: MemPalace itself has files in ~/.mempalace, too, and a palace can be in any folder.
purge() {
  delete_palace "$PALACE"
  if [ "$PALACE" != "$HOME/.mempalace/palace" ]; then delete_palace "$HOME/.mempalace/palace"; fi
  delete "$HOME/.mempalace/identity.txt"
  delete "$HOME/.mempalace/run"
  drop_folder "$HOME/.mempalace"
  cache=$(xdg "${XDG_CACHE_HOME-}" .cache)
  for place in "$cache/mempalace-docs" "$cache/mempalace-session" "$(xdg "${XDG_CONFIG_HOME-}" .config)/mempalace" \
    "$(xdg "${XDG_DATA_HOME-}" .local/share)/mempalace" "$(xdg "${XDG_STATE_HOME-}" .local/state)/mempalace" \
    "$HOME"/Library/Logs/mempalace-session.log* "$HOME"/Library/Logs/mempalace-docs.log* \
    "$HOME"/Library/Logs/mempalace-session.err "$HOME"/Library/Logs/mempalace-docs.err; do
    delete "$place"
    drop_folder "${place%/*}"
  done
  drop_folder "$HOME/.local"
}

# As in the program, these variables count only if they are absolute.
xdg() { # value, default below HOME
  case $1 in
  /*) printf '%s\n' "$1" ;;
  *) printf '%s\n' "$HOME/$2" ;;
  esac
}

delete_palace() { # folder
  for file in "$1"/palace.sqlite3* "$1"/run.lock* "$1"/summaries.lock* "$1"/broker.* "$1"/serve-token* \
    "$1"/write-log.jsonl* "$1"/uses.jsonl* "$1"/hooks "$1"/received "$1"/writers "$1"/.mempalace-tmp-* \
    "$1"/backups/*-before-*.sqlite3* "$1"/backups/.mempalace-tmp-*; do
    delete "$file"
  done
  drop_folder "$1/backups"
  drop_folder "$1"
  if [ "$DRY" = no ] && [ -d "$1" ]; then row skipped "$1: it contains other files"; fi
}

delete() { # file or folder; a link is deleted, not what it points to
  if ! [ -e "$1" ] && ! [ -h "$1" ]; then return 0; fi
  doing rm -rf -- "$1" || fail "cannot delete $1: is it writable for you?"
  did deleted "$1"
}

# Removes an empty folder, but not a folder of the system or the user.
drop_folder() {
  if [ "$DRY" = no ] && [ -d "$1" ]; then rmdir -- "$1" 2>/dev/null || :; fi
}
