# shellcheck shell=sh
# shellcheck disable=SC2154 # install.sh joins these files
# Puts the programs on PATH: the line is suggested, and written with --path, once and with a marker.

MARK='# mempalace-toolkit'

# The file that the user's shell reads, and the line for it.
path_line() {
  case $BIN in
  "$HOME"/*) shown="\$HOME/$(quotable "${BIN#"$HOME"/}")" ;;
  *) shown=$(quotable "$BIN") ;;
  esac
  LINE="export PATH=\"$shown:\$PATH\""
  case ${SHELL-} in
  */zsh) RC=${ZDOTDIR:-$HOME}/.zshrc ;;
  */bash) if [ "$(uname)" = Darwin ]; then RC=$HOME/.bash_profile; else RC=$HOME/.bashrc; fi ;;
  */fish)
    RC=${XDG_CONFIG_HOME:-$HOME/.config}/fish/config.fish
    LINE="fish_add_path --global \"$shown\""
    ;;
  *) RC=$HOME/.profile ;;
  esac
}

# Escapes text for double quotes.
quotable() { printf '%s\n' "$1" | sed 's/[\\"$`]/\\&/g'; }

put_on_path() {
  path_line
  case :${PATH-}: in
  *:"$BIN":*)
    row unchanged "$BIN is on PATH"
    first=$(command -v mempalace || :)
    if [ -e "$BIN/mempalace" ] && [ "$first" != "$BIN/mempalace" ]; then
      warn "on your PATH, $first comes before $BIN/mempalace."
    fi
    ;;
  *)
    if [ -f "$RC" ] && grep -qxF -e "$LINE" -e "$LINE $MARK" "$RC"; then
      row unchanged "the PATH line in $RC: open a new terminal to use it"
    elif [ "$WRITE_PATH" = yes ]; then
      write_path_line
    else
      say "$BIN is not on your PATH. Add this line to $RC (or run ./install.sh --path), then open a new terminal:"
      say "  $LINE"
    fi
    ;;
  esac
  case ${SHELL-} in
  */zsh)
    if [ -d "$ROOT/dist/share/zsh" ]; then
      say "zsh completes them with this line before compinit in ${ZDOTDIR:-~}/.zshrc: fpath=($SHARE/zsh/site-functions \$fpath)"
    fi
    ;;
  esac
}

write_path_line() {
  remove_path_line "$RC" || :
  if [ "$DRY" = no ]; then
    make_folder "${RC%/*}" || fail "cannot make ${RC%/*}"
    [ -e "$RC" ] || printf '%s\n' "$RC" >>"$MADE_FILE"
    # Our line must not join a last line without a line break.
    if [ -s "$RC" ] && [ -n "$(tail -c 1 "$RC")" ]; then printf '\n' >>"$RC"; fi
    if ! printf '%s %s\n' "$LINE" "$MARK" >>"$RC"; then
      skipped "the PATH line: cannot write $RC. It is: $LINE"
      return
    fi
  fi
  did written "the PATH line, into $RC: open a new terminal"
}

# True if our line was there. The file is written in place: it may be a link into dotfiles.
remove_path_line() { # file
  if ! [ -f "$1" ] || ! grep -q -e " $MARK\$" "$1"; then return 1; fi
  if [ "$DRY" = no ]; then
    rest=$(mktemp "${TMPDIR:-/tmp}/mempalace-install.XXXXXX")
    grep -v -e " $MARK\$" "$1" >"$rest" || :
    cat "$rest" >"$1" || fail "cannot write $1 (its text without our line is in $rest)"
    rm -f "$rest"
  fi
}

remove_path_lines() {
  set -- "$HOME/.bashrc" "$HOME/.bash_profile" "$HOME/.profile" "$HOME/.zshrc" \
    "${XDG_CONFIG_HOME:-$HOME/.config}/fish/config.fish"
  if [ "${ZDOTDIR:-$HOME}" != "$HOME" ]; then set -- "$@" "$ZDOTDIR/.zshrc"; fi
  for file in "$@"; do
    if remove_path_line "$file"; then did removed "the PATH line in $file"; fi
  done
}
