# shellcheck shell=sh
# shellcheck disable=SC2154 # install.sh joins these files
# Updates the checkout, and then the palace.

update() {
  command -v git >/dev/null 2>&1 || fail "git is not installed: --update pulls with it."
  before=$(git rev-parse --short HEAD) ||
    fail "$ROOT is not a git checkout: download the new version and run its install.sh."
  if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
    git status --short --untracked-files=no >&2
    fail "this checkout has local changes (above): commit or stash them (git stash), then run this again. Nothing was changed."
  fi
  if [ "$DRY" = yes ]; then
    did pulled "the commits after $before"
    install
    return
  fi
  git pull --quiet --ff-only || fail "git could not pull (see above). Nothing was changed."
  after=$(git rev-parse --short HEAD)
  if [ "$before" = "$after" ]; then
    row unchanged "the checkout, at $after"
  else
    row updated "the checkout, from $before to $after ($(git rev-list --count "$before..$after") commits)"
  fi
  pass_on "$before"
}

# The pulled install.sh does the rest.
pass_on() { # commit
  set -- "--updated-from=$1" "--prefix=$PREFIX"
  if [ -n "$SCHEDULE" ]; then set -- "$@" "--schedule=$SCHEDULE"; fi
  if [ "$WRITE_PATH" = yes ]; then set -- "$@" --path; fi
  if [ "$PRUNE" = yes ]; then set -- "$@" --prune; fi
  if [ -n "$FOLDER" ]; then
    set -- "$@" "--backfill=$FOLDER"
  elif [ "$BACKFILL" = yes ]; then
    set -- "$@" --backfill
  fi
  exec "$ROOT/install.sh" "$@"
}

# The first program that opens a palace of an earlier version makes a backup and migrates it.
bring_palace_up_to_date() {
  if [ -z "$UPDATED_FROM" ]; then return; fi
  palace_status=0
  words=$("$ROOT/bin/mempalace" status --json 2>&1 >/dev/null) || palace_status=$?
  case $palace_status in
  0)
    row current "the palace (if it was migrated, its folder backups contains the earlier version)"
    if [ -n "$words" ]; then say "$words"; fi
    ;;
  *)
    case $words in
    *'"code":"not-found"'*) row skipped "the palace: not created yet" ;;
    *)
      warn "$words"
      warn "the palace could not be opened: mempalace status gives the reason."
      remember "$palace_status"
      ;;
    esac
    ;;
  esac
}
