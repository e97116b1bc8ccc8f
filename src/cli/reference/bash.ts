import { functionName, keyOf, shellWord, shellWords } from './shells.js';
import { allBelow, type CommandEntry, type OptionEntry, type Value } from './tree.js';

/**
 * The bash completion of a program. It also runs in bash 3.2 (macOS), needs no other package, and starts no process.
 */
export function bashCompletion(program: CommandEntry): string {
  const name = functionName(program.name);
  const all = allBelow(program);
  return `# bash completion for ${program.name}, made from its command tree.

# Options of a command: all, those with a value, and those with an optional value. False for any other word.
${name}_takes() {
  case $1 in
${all.map(taken).join('\n')}
    *) return 1 ;;
  esac
}

# Completions after an option, or for an argument: words, or a kind of path.
${name}_offers() {
  case $1 in
${all.flatMap(offered).join('\n')}
  esac
}

${name}() {
  local IFS=$' \\t\\n' cur=\${COMP_WORDS[COMP_CWORD]} word command='' flag='' prefix=''
  local flags='' valued=' ' maybe=' ' words='' kind='' rest=''
  local -i i place=0
  COMPREPLY=()
  ${name}_takes ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $flag ]]; then
      # In --limit=5 bash treats "=" as a separate word.
      [[ $word == '=' ]] && continue
      if [[ $maybe != *" $flag "* || $word != -* ]]; then
        flag=''
        continue
      fi
      flag=''
    fi
    if [[ -z $rest && $word == -- ]]; then
      rest=yes
    elif [[ -z $rest && $word == -* ]]; then
      [[ $valued$maybe == *" $word "* ]] && flag=$word
    elif ((place == 0)) && ${name}_takes "$command/$word"; then
      command=$command/$word
    else
      place+=1
    fi
  done
  if [[ -n $flag && $cur == '=' ]]; then
    cur=''
  elif [[ -z $flag && -z $rest && $cur == --*=* ]]; then
    flag=\${cur%%=*} prefix=\${cur%%=*}= cur=\${cur#*=}
  fi
  if [[ -n $flag && ($maybe != *" $flag "* || $cur != -*) ]]; then
    ${name}_offers "$command:$flag"
  elif [[ -z $rest && $cur == -* ]]; then
    words=$flags
  else
    ${name}_offers "$command:$place"
  fi
  case $kind in
    file | folder)
      # Quotes names and appends / to folders; bash 3.2 has no compopt.
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do
        COMPREPLY+=("$prefix$word")
      done < <(if [[ $kind == file ]]; then compgen -f -- "$cur"; else compgen -d -- "$cur"; fi)
      ;;
    *) COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$cur")) ;;
  esac
}

complete -F ${name} ${program.name}
`;
}

function taken({ path, options }: CommandEntry): string {
  const names = (chosen: OptionEntry[]) => shellWords(chosen.flatMap(({ names: each }) => each));
  const padded = (chosen: OptionEntry[]) => (chosen.length === 0 ? "' '" : `' ${names(chosen)} '`);
  const valued = options.filter(({ value }) => value?.required === true);
  const maybe = options.filter(({ value }) => value?.required === false);
  return `    '${keyOf(path)}') flags='${names(options)}' valued=${padded(valued)} maybe=${padded(maybe)} ;;`;
}

function offered({ path, arguments: entries, options, commands }: CommandEntry): string[] {
  const key = keyOf(path);
  return [
    ...(commands.length > 0
      ? [`    ${key}:0) words='${shellWords(commands.map(({ name }) => name))}' ;;`]
      : []),
    ...entries.flatMap((entry, index) => offer(`${key}:${entry.variadic ? `[${index}-9]` : index}`, entry)),
    ...options.flatMap(({ long, value }) =>
      value === undefined ? [] : offer(`${key}:${shellWord(long)}`, value),
    ),
  ];
}

function offer(key: string, { choices, path }: Value): string[] {
  if (choices.length > 0) return [`    ${key}) words='${shellWords(choices)}' ;;`];
  return path === undefined ? [] : [`    ${key}) kind=${path} ;;`];
}
