import { functionName, shellWord, shellWords } from './shell-word.js';
import type { CommandEntry, OptionEntry, Value } from './tree.js';

/**
 * The bash completion of a program. It runs in bash 3.2 too (that of macOS), needs no other package, and starts no
 * process: all that it offers is in the script.
 */
export function bashCompletion(program: CommandEntry): string {
  const name = functionName(program.name);
  const all = [{ ...program, name: '' }, ...program.commands];
  return `# bash completion for ${program.name}, made from its command tree.

# What a command takes: its flags, those that want a value, and those that may have one.
${name}_takes() {
  case $1 in
${all.map(taken).join('\n')}
    *) flags='' valued=' ' maybe=' ' ;;
  esac
}

# What may stand after a flag, or at a place: words, or a kind of path.
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
      # In --limit=5 bash takes "=" for a word of its own.
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
    ${
      program.commands.length > 0
        ? `elif [[ -z $command ]]; then
      command=$word
      ${name}_takes "$command"
    `
        : ''
    }else
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
  ${
    program.commands.length > 0
      ? `elif [[ -z $command ]]; then
    words='${shellWords(program.commands.map((command) => command.name))}'
  `
      : ''
  }else
    ${name}_offers "$command:$place"
  fi
  case $kind in
    file | folder)
      # Quotes what needs it and puts / after folders; bash 3.2 has no compopt.
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

function taken({ name, options }: CommandEntry): string {
  const names = (chosen: OptionEntry[]) =>
    chosen.flatMap(({ short, long }) => [...(short === undefined ? [] : [short]), long]);
  const padded = (chosen: OptionEntry[]) => `' ${shellWords(names(chosen))} '`.replace("'  '", "' '");
  const valued = options.filter(({ value }) => value?.required === true);
  const maybe = options.filter(({ value }) => value?.required === false);
  return `    ${name === '' ? "''" : shellWord(name)})
      flags='${shellWords(names(options))}'
      valued=${padded(valued)} maybe=${padded(maybe)}
      ;;`;
}

function offered(command: CommandEntry): string[] {
  const places = command.arguments.flatMap((argument, index) =>
    line(`${command.name}:${argument.variadic ? `[${index}-9]` : index}`, argument),
  );
  const values = command.options.flatMap(({ long, value }) =>
    value === undefined ? [] : line(`${command.name}:${shellWord(long)}`, value),
  );
  return [...places, ...values];
}

function line(key: string, { choices, path }: Value): string[] {
  if (choices.length > 0) return [`    ${key}) words='${shellWords(choices)}' ;;`];
  return path === undefined ? [] : [`    ${key}) kind=${path} ;;`];
}
