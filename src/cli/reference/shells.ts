/** The shells that completion scripts are made for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The completion of a program: a script that asks `mempalace __complete` at each TAB, and completes paths itself where the
 * answer ends with `:file` or `:folder`. What another release answers, or a missing one, completes nothing.
 */
export const COMPLETIONS: Record<Shell, (program: string) => string> = {
  // It also runs in bash 3.2 (macOS), which has no compopt.
  bash: (program) => `# bash completion for ${program}
${nameOf(program)}() {
  local line kind='' prefix='' cur=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) kind=\${line#:} ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(mempalace __complete ${program} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
  [[ -n $kind ]] || return 0
  # In --db=a bash may treat "=" as a separate word.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $cur == --*=* ]]; then
    prefix=\${cur%%=*}= cur=\${cur#*=}
  fi
  # Quotes names and appends / to folders.
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do
    COMPREPLY+=("$prefix$line")
  done < <(if [[ $kind == file ]]; then compgen -f -- "$cur"; else compgen -d -- "$cur"; fi)
}
complete -F ${nameOf(program)} ${program}
`,
  // A file for a folder of $fpath, which can also be sourced after compinit.
  zsh: (program) => `#compdef ${program}
# zsh completion for ${program}
${nameOf(program)}() {
  local line kind=''
  local -a offers
  for line in "\${(@f)$(mempalace __complete ${program} "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null </dev/null)}"; do
    case $line in
      :*) kind=\${line#:} ;;
      ?*) offers+=("\${\${line//:/\\\\:}/$'\\t'/:}") ;;
    esac
  done
  if [[ $kind == file ]]; then
    compset -P '--*='
    _files
  elif [[ $kind == folder ]]; then
    compset -P '--*='
    _directories
  elif (( $#offers )); then
    _describe completion offers
  fi
}
if [[ $funcstack[1] == ${nameOf(program)} ]]; then
  ${nameOf(program)} "$@"
else
  compdef ${nameOf(program)} ${program}
fi
`,
  fish: (program) => `# fish completion for ${program}
function ${nameOf(program)}
    set -l token (commandline -ct)
    set -l path (string replace -r -- '^--[^=]*=' '' "$token")
    set -l prefix (string match -r -- '^--[^=]*=' "$token")
    for line in (mempalace __complete ${program} (commandline -opc)[2..-1] "$token" 2>/dev/null </dev/null)
        switch $line
            case :file
                __fish_complete_path "$path" | string replace -r '^' -- "$prefix"
            case :folder
                __fish_complete_directories "$path" | string replace -r '^' -- "$prefix"
            case '*'
                echo $line
        end
    end
end
complete -c ${program} -f -a '(${nameOf(program)})'
`,
};

/** The shell function of a program: `_mempalace_docs`. */
const nameOf = (program: string): string => `_${program.replaceAll('-', '_')}`;
