# Prints what zsh offers at the end of command lines, each match between two control characters:
# zsh -f capture.zsh <completion script> <line>...
zmodload zsh/zpty || exit 9
zpty shell 'zsh -f -i'
zpty -w shell "PROMPT= RPS1= PS2=; unset zle_bracketed_paste"
zpty -w shell "autoload -Uz compinit && compinit -u -D && source ${(q)1}"
# All that completes goes through compadd; with -O, -A or -D it only filters.
zpty -w shell 'compadd () {
  [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return }
  local -a matches
  builtin compadd -A matches "$@"
  printf "\1%s\2" $matches
  builtin compadd "$@"
}'
zpty -w shell 'the-end () { print -r -- "@E""ND@" }; zle -N the-end'
zpty -w shell 'bindkey "^I" list-choices; bindkey "^G" the-end'
zpty -w shell 'print -r -- "@BE""GIN@"'
zpty -r -m shell text '*@BEGIN@*'
shift
for line; do
  zpty -w -n shell $'\x15'"$line"$'\t\x07'
  text=
  while [[ $text != *@END@* ]] && zpty -r shell part; do text+=$part; done
  print -r -- "$text"
done
zpty -d shell
