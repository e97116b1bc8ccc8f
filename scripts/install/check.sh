# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # install.sh joins these files
# Reports whether the installation is that of this checkout. Changes nothing.

finding() { # ok | missing | outdated | foreign, what
  row "$1" "$2"
  if [ "$1" != ok ]; then STATUS=1; fi
}

check() {
  check_recorded_node
  if packages_are_current && loads_natives >/dev/null 2>&1; then
    finding ok "packages"
  elif [ -d node_modules ]; then
    finding outdated "packages: incomplete, for another Node, or different from package-lock.json"
  else
    finding missing "packages"
  fi
  if build_is_current >/dev/null 2>&1; then
    finding ok "the build"
  elif [ -d dist ]; then
    finding outdated "the build: from other sources"
  else
    finding missing "the build"
  fi
  for launcher in "$ROOT"/bin/mempalace*; do
    check_link "$BIN/${launcher##*/}" "bin/${launcher##*/}"
  done
  check_share
  if [ -f SKILL.md ]; then
    check_link "$SKILL_LINK" SKILL.md
    check_link "$SKILL_LINK_OF_PI" SKILL.md
  fi
  if [ -d "$PI" ]; then
    check_link "$PI_LINK" "$PI_EXTENSION"
    tell_pi_toolkit
  fi
  case :${PATH_OF_USER}: in
  *:"$BIN":*) finding ok "$BIN is on PATH" ;;
  *) row remark "$BIN is not on PATH in this shell (./install.sh --path)" ;;
  esac
  ways=$(scheduled_with)
  row remark "weekly runs: ${ways:-none}"
  if [ "$STATUS" -ne 0 ]; then warn "not complete, or not up to date: run ./install.sh"; fi
}

# The rest is checked with the Node of the programs.
check_recorded_node() {
  PATH_OF_USER=${PATH-}
  stable=
  if [ -f "$NODE_FILE" ]; then stable=$(cat "$NODE_FILE"); fi
  if [ -z "$stable" ]; then
    finding missing "the Node of the programs: not recorded"
  elif [ -x "$stable" ]; then
    finding ok "the Node of the programs: $stable"
    PATH=${stable%/*}:$PATH
  else
    finding missing "the Node of the programs: $stable does not exist"
  fi
}

check_link() { # link, path in the checkout
  state_of "$@"
  case $STATE in
  current) finding ok "$1" ;;
  ours) finding outdated "$1: points to $old" ;;
  missing) finding missing "$1" ;;
  foreign) finding foreign "$1: belongs to another program" ;;
  esac
}

check_share() {
  right=0 wrong=0
  while IFS= read -r path; do
    [ -n "$path" ] || continue
    state_of "$SHARE/$path" "dist/share/$path"
    if [ "$STATE" = current ]; then right=$((right + 1)); else wrong=$((wrong + 1)); fi
  done <<LIST
$(share_files)
LIST
  if [ "$wrong" -gt 0 ]; then
    finding missing "$wrong of $((right + wrong)) manuals and completions below $SHARE"
  elif [ "$right" -gt 0 ]; then
    finding ok "$right manuals and completions below $SHARE"
  fi
}
