import { functionName, shellWord, shellWords } from './shell-word.js';
import type { CommandEntry, OptionEntry, Value } from './tree.js';

/** The fish completion of a program. */
export function fishCompletion(program: CommandEntry): string {
  const at = `_${functionName(program.name)}_at`;
  const has = program.commands.length > 0;
  const all = [{ ...program, name: '' }, ...program.commands];
  const cases = all.map(
    ({ name, options }) => `            case '${name === '' ? '' : shellWord(name)}'
                set valued ${shellWords(options.filter(({ value }) => value?.required).flatMap(({ short, long }) => [...(short === undefined ? [] : [short]), long]))}`,
  );
  const line = (...parts: string[]) => ['complete', '-c', program.name, ...parts].filter(Boolean).join(' ');
  const lines = all.flatMap((command) => {
    const when = (place: string) =>
      has || place !== '' ? `-n '${at} ${quotedName(command.name)}${place}'` : '';
    return [
      ...command.options.map((option) => line(when(''), optionParts(option))),
      ...command.arguments.flatMap((argument, index) => {
        const offer = offerOf(argument);
        const place = argument.variadic ? '' : ` ${index}`;
        return offer === '' ? [] : [line(when(place), offer)];
      }),
    ];
  });
  const named = program.commands.map(({ name, description }) =>
    line(`-n '${at} ""'`, `-a ${shellWord(name)}`, `-d ${quoted(description)}`),
  );
  return `# fish completion for ${program.name}, made from its command tree.

# True at the place of a command: its name${has ? ' ("" before there is one)' : ' ("")'}, and how many arguments stand before the cursor.
function ${at}
    set -l command ''
    set -l place 0
    set -l valued
    set -l skip
    set -l rest
    for word in '' (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip
            continue
        end
        if test -n "$word"
            if test -z "$rest"; and string match -q -- '-*' $word
                contains -- $word $valued; and set skip yes
                test $word = --; and set rest yes
                continue
            end
${
  has
    ? `            if test -z "$command"
                set command $word
            else
                set place (math $place + 1)
            end
`
    : '            set place (math $place + 1)\n'
}        end
        switch $command
${cases.join('\n')}
        end
    end
    test "$command" = $argv[1]; or return 1
    test (count $argv) -eq 1; or test $place -eq $argv[2]
end

complete -c ${program.name} -f
${[...named, ...lines].join('\n')}
`;
}

function optionParts({ long, short, value, description }: OptionEntry): string {
  return [
    short === undefined ? '' : `-s ${shellWord(short.slice(1))}`,
    `-l ${shellWord(long.slice(2))}`,
    value?.required === true ? (value.path === 'file' ? '-r' : '-x') : '',
    value === undefined ? '' : offerOf(value),
    `-d ${quoted(description)}`,
  ]
    .filter(Boolean)
    .join(' ');
}

function offerOf({ choices, path }: Value): string {
  if (choices.length > 0) return `-a '${shellWords(choices)}'`;
  if (path === undefined) return '';
  return path === 'file' ? '-F' : "-a '(__fish_complete_directories)'";
}

function quotedName(name: string): string {
  return name === '' ? '""' : shellWord(name);
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
