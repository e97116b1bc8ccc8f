# shellcheck shell=sh
# shellcheck disable=SC2154 # install.sh joins these files
# The links to the programs, their manuals and completions, and the skill; and their removal.

# True for a link to a file of a checkout of this toolkit: this one, another one, or a deleted one.
is_ours() { # link, path in the checkout
  [ -h "$1" ] || return 1
  old=$(readlink "$1")
  case $old in /*/"$2") ;; *) return 1 ;; esac
  [ -e "$1" ] || return 0
  grep -q '"name": *"mempalace-toolkit"' "${old%/"$2"}/package.json" 2>/dev/null
}

# The state of a link: current, missing, ours (to another checkout), foreign.
state_of() { # link, path in the checkout
  if [ -h "$1" ] && [ "$(readlink "$1")" = "$ROOT/$2" ]; then
    STATE=current
  elif is_ours "$1" "$2" || { [ -n "${FORMER-}" ] && is_ours "$1" "$FORMER"; }; then
    STATE=ours
  elif [ -e "$1" ] || [ -h "$1" ]; then
    STATE=foreign
  else
    STATE=missing
  fi
}

# Makes a link and sets STATE to its former state, or to "refused". A foreign file is not changed.
set_link() { # link, path in the checkout
  state_of "$1" "$2"
  case $STATE in
  current | foreign) return ;;
  ours) doing rm -f -- "$1" ;;
  esac
  if ! make_folder "${1%/*}" || ! doing ln -s -- "$ROOT/$2" "$1"; then
    STATE=refused
  fi
}

link_and_tell() { # link, path in the checkout
  set_link "$@"
  case $STATE in
  current) row unchanged "$1" ;;
  ours) did linked "$1; formerly to $old" ;;
  missing) did linked "$1" ;;
  foreign) skipped "$1 belongs to another program and was left alone: move it away and run this again${3-}" ;;
  refused) skipped "$1 cannot be made: is ${1%/*} writable for you?" ;;
  esac
}

link_programs() {
  for launcher in "$ROOT"/bin/mempalace*; do
    link_and_tell "$BIN/${launcher##*/}" "bin/${launcher##*/}" ", or link elsewhere with --prefix"
    [ "$STATE" != refused ] || exit 1
  done
}

# Manuals and completions: all files of dist/share, at the same paths below the prefix.
link_share() {
  new=0 old_ones=0
  while IFS= read -r path; do
    [ -n "$path" ] || continue
    set_link "$SHARE/$path" "dist/share/$path"
    case $STATE in
    current) old_ones=$((old_ones + 1)) ;;
    foreign) skipped "$SHARE/$path belongs to another program and was left alone" ;;
    refused) skipped "$SHARE/$path cannot be made: is its folder yours, and not read-only?" ;;
    *) new=$((new + 1)) ;;
    esac
  done <<LIST
$(share_files)
LIST
  if [ "$new" -gt 0 ]; then did linked "$new manuals and completions below $SHARE"; fi
  if [ "$old_ones" -gt 0 ]; then row unchanged "$old_ones manuals and completions below $SHARE"; fi
  if [ "$new$old_ones" = 00 ] && [ "$DRY" = yes ]; then
    did linked "the manuals and completions of the build, below $SHARE"
  elif [ "$new$old_ones" = 00 ]; then
    row skipped "manuals and completions: not in the build"
  fi
  unlink_share dangling
}

share_files() {
  if [ -d "$ROOT/dist/share" ]; then (cd "$ROOT/dist/share" && find . -type f | sed 's|^\./||' | sort); fi
}

# Removes our links below the share folder: all of them, or those without a page in the new build.
unlink_share() { # all | dangling
  gone=0
  for folder in man/man1 bash-completion/completions zsh/site-functions fish/vendor_completions.d; do
    for link in "$SHARE/$folder"/*mempalace*; do
      if [ "$1" = dangling ] && [ -e "$link" ]; then continue; fi
      if is_ours "$link" "dist/share/$folder/${link##*/}"; then
        doing rm -f -- "$link"
        gone=$((gone + 1))
      fi
    done
  done
  if [ "$gone" -gt 0 ]; then did removed "$gone links to manuals and completions below $SHARE"; fi
}

link_skill() {
  if ! [ -f "$ROOT/SKILL.md" ]; then
    row skipped "the skill for agents: this checkout has no SKILL.md"
    return
  fi
  for skill in "$SKILL_LINK" "$SKILL_LINK_OF_PI"; do
    near=$(nearest "${skill%/*}") || exit 1
    if [ -w "$near" ]; then
      link_and_tell "$skill" SKILL.md
    else
      skipped "$skill: cannot write in $near"
    fi
  done
}

# Only where pi is. A former version of the extension is replaced.
link_pi() {
  if ! [ -d "$PI" ]; then return 0; fi
  FORMER=extensions/pi/mempalace.ts
  link_and_tell "$PI_LINK" "$PI_EXTENSION"
  FORMER=
  tell_pi_toolkit
}

# pi-toolkit has pi's own settings. The extension does not need it.
tell_pi_toolkit() {
  missing=
  for file in "$PI/keybindings.json" "${ZSH_CUSTOM:-$HOME/.oh-my-zsh/custom}/pi-env.zsh"; do
    [ -e "$file" ] || missing="$missing${missing:+, }$file"
  done
  if [ -z "$missing" ]; then
    row ok "pi-toolkit: its keybindings.json and pi-env.zsh are there"
  else
    row remark "pi-toolkit is not, or not completely, installed; missing: $missing"
  fi
}

unlink_and_tell() { # link, path in the checkout
  state_of "$@"
  case $STATE in
  current | ours)
    doing rm -f -- "$1" || fail "cannot remove $1: is ${1%/*} writable for you?"
    did removed "$1"
    ;;
  missing) row unchanged "$1 does not exist" ;;
  foreign) row skipped "$1 belongs to another program" ;;
  esac
}

unlink_everything() {
  for launcher in "$ROOT"/bin/mempalace*; do
    unlink_and_tell "$BIN/${launcher##*/}" "bin/${launcher##*/}"
  done
  unlink_share all
  for skill in "$SKILL_LINK" "$SKILL_LINK_OF_PI"; do
    unlink_and_tell "$skill" SKILL.md
    if [ "$DRY" = no ]; then rmdir -- "${skill%/*}" 2>/dev/null || :; fi
  done
  if [ -e "$PI_LINK" ] || [ -h "$PI_LINK" ]; then unlink_and_tell "$PI_LINK" "$PI_EXTENSION"; fi
}

# Removes folders and shell files that the installation made, if they are empty.
remove_made() {
  if [ "$DRY" = yes ] || ! [ -f "$MADE_FILE" ]; then return 0; fi
  # The deepest first.
  sort -ru "$MADE_FILE" | while IFS= read -r made; do
    if [ -d "$made" ]; then
      rmdir -- "$made" 2>/dev/null || :
    elif [ -f "$made" ] && ! [ -s "$made" ]; then
      rm -f -- "$made"
    fi
  done
  rm -f -- "$MADE_FILE"
}
