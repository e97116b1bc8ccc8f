import { shellWord, shellWords } from './shells.js';
import type { ArgumentEntry, CommandEntry, OptionEntry, Value } from './tree.js';
import { allBelow } from './tree.js';

/**
 * The zsh completion of a program, with one function per command: a file for a folder of `$fpath`, which can also be
 * sourced after compinit.
 */
export function zshCompletion(program: CommandEntry): string {
  const name = functionOf(program);
  return `#compdef ${program.name}
# zsh completion for ${program.name}, made from its command tree.

${allBelow(program).map(completed).join('\n')}
if [[ $funcstack[1] == ${name} ]]; then
  ${name} "$@"
else
  compdef ${name} ${program.name}
fi
`;
}

const functionOf = ({ path }: CommandEntry): string => `_${path.split(' ').map(shellWord).join('__')}`;

function completed(command: CommandEntry): string {
  const name = functionOf(command);
  const specs = [...command.options.map(optionSpec), ...command.arguments.map(argumentSpec)];
  if (command.commands.length === 0)
    return `${name}() {
  _arguments -s -S \\
    ${specs.join(' \\\n    ')}
}
`;
  const listed = command.commands.map((each) => quoted(`${shellWord(each.name)}:${each.description}`));
  return `${name}() {
  local curcontext=$curcontext state line ret=1
  local -A opt_args
  _arguments -C -s -S \\
    ${[...specs, "'1: :->command'", "'*:: :->rest'"].join(' \\\n    ')} && ret=0
  case $state in
    command)
      local -a commands=(
        ${listed.join('\n        ')}
      )
      _describe -t commands command commands && ret=0
      ;;
    rest)
      curcontext=\${curcontext%:*:*}:${command.path.replaceAll(' ', '-')}-$words[1]:
      (( $+functions[${name}__$words[1]] )) && ${name}__$words[1] && ret=0
      ;;
  esac
  return ret
}
`;
}

function optionSpec({ long, short, value, description, repeatable }: OptionEntry): string {
  const name = shellWord(long);
  const about = `[${escaped(description)}]`;
  if (value !== undefined) {
    const action = `:${value.required ? '' : ':'}${escaped(value.name)}:${actionOf(value)}`;
    return quoted(`${repeatable ? '*' : ''}${name}=${about}${action}`);
  }
  if (short === undefined) return quoted(`${name}${about}`);
  return `${quoted(`(${short} ${name})`)}{${shellWord(short)},${name}}${quoted(about)}`;
}

function argumentSpec(argument: ArgumentEntry, index: number): string {
  const start = argument.variadic ? '*:' : `${index + 1}:${argument.required ? '' : ':'}`;
  return quoted(`${start}${escaped(argument.name)}:${actionOf(argument)}`);
}

function actionOf({ choices, path }: Value): string {
  if (choices.length > 0) return `(${shellWords(choices)})`;
  if (path === undefined) return ' ';
  return path === 'folder' ? '_directories' : '_files';
}

function escaped(text: string): string {
  return text.replace(/[\\[\]:]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
