import { shellWord, shellWords } from './shell-word.js';
import type { ArgumentEntry, CommandEntry, OptionEntry, Value } from './tree.js';

/** The zsh completion of a program: a file for a folder of `$fpath`, which may be sourced after compinit too. */
export function zshCompletion(program: CommandEntry): string {
  const name = `_${shellWord(program.name)}`;
  const body = program.commands.length === 0 ? `  ${call(program)}` : withCommands(program);
  return `#compdef ${program.name}
# zsh completion for ${program.name}, made from its command tree.

${name}() {
  local curcontext=$curcontext state line ret=1
  local -A opt_args
${body}
  return ret
}

if [[ $funcstack[1] == ${name} ]]; then
  ${name} "$@"
else
  compdef ${name} ${program.name}
fi
`;
}

function withCommands(program: CommandEntry): string {
  const specs = [...program.options.map(optionSpec), "'1: :->command'", "'*:: :->rest'"];
  const listed = program.commands.map(
    ({ name, description }) => `        ${quoted(`${shellWord(name)}:${description}`)}`,
  );
  const cases = program.commands.map(
    (command) => `        ${shellWord(command.name)})
          ${call(command, '          ')}
          ;;`,
  );
  return `  _arguments -C -s -S \\
    ${specs.join(' \\\n    ')} && ret=0
  case $state in
    command)
      local -a commands=(
${listed.join('\n')}
      )
      _describe -t commands command commands && ret=0
      ;;
    rest)
      curcontext=\${curcontext%:*:*}:${program.name}-$words[1]:
      case $words[1] in
${cases.join('\n')}
      esac
      ;;
  esac`;
}

function call(command: CommandEntry, indent = '  '): string {
  const specs = [
    ...command.options.map(optionSpec),
    ...command.arguments.map((argument, index) => argumentSpec(argument, index + 1)),
  ];
  return `_arguments -s -S \\\n${specs.map((spec) => `${indent}  ${spec}`).join(' \\\n')} && ret=0`;
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

function argumentSpec(argument: ArgumentEntry, place: number): string {
  const start = argument.variadic ? '*:' : `${place}:${argument.required ? '' : ':'}`;
  return quoted(`${start}${escaped(argument.name)}:${actionOf(argument)}`);
}

function actionOf({ choices, path }: Value): string {
  if (choices.length > 0) return `(${shellWords(choices)})`;
  if (path === undefined) return ' ';
  return path === 'folder' ? '_directories' : '_files';
}

/** Text in the specification of an option or argument. */
function escaped(text: string): string {
  return text.replace(/[\\[\]:]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
