# shellcheck shell=sh
# shellcheck disable=SC2154 # install.sh joins these files
# Weekly runs. `mempalace schedule` makes them; their removal must work without the program.

UNIT_FOLDER=${XDG_CONFIG_HOME:-${HOME-}/.config}/systemd/user
AGENT_FOLDER=${HOME-}/Library/LaunchAgents

# The lines of a crontab that are ours: the comments above the runs, and the runs.
our_cron_lines() { # grep's options
  grep -E "$@" -e '^# mempalace-(session|docs): ' -e '# mempalace-toolkit$' \
    -e '/mempalace-session"? .*--since' -e '/mempalace-docs"? .*--all'
}

# The schedulers in use, as words.
scheduled_with() {
  ways=
  for name in mempalace-session mempalace-docs; do
    if [ -f "$UNIT_FOLDER/$name.timer" ]; then ways="$ways systemd"; fi
    if [ -f "$AGENT_FOLDER/se.jordbo.$name.plist" ]; then ways="$ways launchd"; fi
  done
  if crontab -l 2>/dev/null | our_cron_lines -q; then ways="$ways cron"; fi
  printf '%s\n' "$ways" | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed -e 's/^ *//' -e 's/ *$//'
}

# The way of --schedule; without one, offer_schedule asks at the end.
install_schedule() {
  case $SCHEDULE in
  '' | none)
    ways=$(scheduled_with)
    if [ -n "$ways" ]; then
      row unchanged "weekly runs, with $ways"
    elif [ -n "$SCHEDULE" ] || [ "$DRY" = yes ] || ! at_a_terminal; then
      row skipped "weekly runs: not requested (--schedule systemd, launchd or cron)"
    fi
    return
    ;;
  esac
  if doing "$ROOT/bin/mempalace" schedule install --with "$SCHEDULE" --bin "$BIN"; then
    did scheduled "weekly runs, with $SCHEDULE"
  else
    skipped "weekly runs with $SCHEDULE: see above; contrib/README.md shows how by hand"
  fi
}

# With the scheduler that the program finds.
offer_schedule() {
  if [ -n "$SCHEDULE" ] || [ -n "$(scheduled_with)" ]; then return 0; fi
  ask "File new sessions and listed projects every week? [Y/n]" || return 0
  case $ANSWER in
  '' | [Yy]*)
    "$ROOT/bin/mempalace" schedule install --bin "$BIN" ||
      say "Nothing is scheduled (see above); contrib/README.md shows how to do it by hand."
    ;;
  esac
}

# First by the program, then directly, for what remains.
remove_schedules() {
  ways=$(scheduled_with)
  if [ -z "$ways" ]; then
    row unchanged "no weekly runs are scheduled"
    return
  fi
  if [ "$DRY" = no ]; then
    "$ROOT/bin/mempalace" schedule remove >/dev/null 2>&1 || :
    remove_units
    remove_agents
    remove_cron_lines
    left=$(scheduled_with)
    if [ -n "$left" ]; then fail "weekly runs with $left are still scheduled: contrib/README.md shows how to remove them."; fi
  fi
  did removed "weekly runs, with $ways"
}

remove_units() {
  found=no
  for name in mempalace-session mempalace-docs; do
    if ! [ -f "$UNIT_FOLDER/$name.timer" ] && ! [ -f "$UNIT_FOLDER/$name.service" ]; then continue; fi
    found=yes
    systemctl --user disable --now "$name.timer" >/dev/null 2>&1 || :
    rm -f -- "$UNIT_FOLDER/$name.timer" "$UNIT_FOLDER/$name.service" "$UNIT_FOLDER/timers.target.wants/$name.timer" \
      "$(xdg "${XDG_DATA_HOME-}" .local/share)/systemd/timers/stamp-$name.timer"
    rmdir -- "$UNIT_FOLDER/timers.target.wants" 2>/dev/null || :
  done
  if [ "$found" = yes ]; then systemctl --user daemon-reload >/dev/null 2>&1 || :; fi
}

remove_agents() {
  for name in se.jordbo.mempalace-session se.jordbo.mempalace-docs; do
    [ -f "$AGENT_FOLDER/$name.plist" ] || continue
    launchctl bootout "gui/$(id -u)/$name" >/dev/null 2>&1 || :
    rm -f -- "$AGENT_FOLDER/$name.plist"
  done
}

# The broker as a service, of `mempalace broker install`.
remove_broker_service() {
  unit=$UNIT_FOLDER/mempalace-broker.service
  agent=$AGENT_FOLDER/se.jordbo.mempalace-broker.plist
  if ! [ -f "$unit" ] && ! [ -f "$agent" ]; then return 0; fi
  if [ "$DRY" = no ]; then
    if [ -f "$unit" ]; then
      systemctl --user disable --now mempalace-broker.service >/dev/null 2>&1 || :
      rm -f -- "$unit" "$UNIT_FOLDER/default.target.wants/mempalace-broker.service"
      rmdir -- "$UNIT_FOLDER/default.target.wants" 2>/dev/null || :
      systemctl --user daemon-reload >/dev/null 2>&1 || :
    fi
    if [ -f "$agent" ]; then
      launchctl bootout "gui/$(id -u)/se.jordbo.mempalace-broker" >/dev/null 2>&1 || :
      rm -f -- "$agent"
    fi
  fi
  did removed "the service of the broker"
}

# Foreign lines stay; an empty table is removed.
remove_cron_lines() {
  if ! crontab -l 2>/dev/null | our_cron_lines -q; then return 0; fi
  rest=$(crontab -l | our_cron_lines -v || :)
  if [ -n "$rest" ]; then printf '%s\n' "$rest" | crontab -; else crontab -r; fi
}
