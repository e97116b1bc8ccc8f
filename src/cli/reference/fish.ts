import { functionName, keyOf, shellWord, shellWords } from './shells.js';
import { allBelow, type CommandEntry, type OptionEntry, type Value } from './tree.js';

/** The fish completion of a program. */
export function fishCompletion(program: CommandEntry): string {
  const at = `_${functionName(program.name)}_at`;
  const all = allBelow(program);
  const cases = all.map(({ path, options }) => {
    const valued = options.filter(({ value }) => value?.required).flatMap(({ names }) => names);
    return `            case '${keyOf(path)}'
                set valued ${shellWords(valued)}`;
  });
  const lines = all.flatMap(({ path, options, arguments: entries, commands }) => {
    const line = (place: string, parts: string[]) =>
      `complete -c ${program.name} -n '${at} "${keyOf(path)}"${place}' ${parts.filter(Boolean).join(' ')}`;
    return [
      ...commands.map(({ name, description }) =>
        line(' 0', [`-a ${shellWord(name)}`, `-d ${quoted(description)}`]),
      ),
      ...options.map((option) => line('', optionParts(option))),
      ...entries.flatMap((entry, index) => {
        const offer = offerOf(entry);
        return offer === '' ? [] : [line(entry.variadic ? '' : ` ${index}`, [offer])];
      }),
    ];
  });
  return `# fish completion for ${program.name}, made from its command tree.

# True for a command ("/kg/add", "" for the program), and after that many arguments if a number is given.
function ${at}
    set -l commands ${shellWords(all.slice(1).map(({ path }) => keyOf(path)))}
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
            if test $place -eq 0; and contains -- "$command/$word" $commands
                set command "$command/$word"
            else
                set place (math $place + 1)
            end
        end
        switch "$command"
${cases.join('\n')}
        end
    end
    test "$command" = "$argv[1]"; or return 1
    test (count $argv) -eq 1; or test $place -eq $argv[2]
end

complete -c ${program.name} -f
${lines.join('\n')}
`;
}

function optionParts({ long, short, value, description }: OptionEntry): string[] {
  return [
    short === undefined ? '' : `-s ${shellWord(short.slice(1))}`,
    `-l ${shellWord(long.slice(2))}`,
    value?.required === true ? (value.path === 'file' ? '-r' : '-x') : '',
    value === undefined ? '' : offerOf(value),
    `-d ${quoted(description)}`,
  ];
}

function offerOf({ choices, path }: Value): string {
  if (choices.length > 0) return `-a '${shellWords(choices)}'`;
  if (path === undefined) return '';
  return path === 'file' ? '-F' : "-a '(__fish_complete_directories)'";
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
