import { EXIT_MEANINGS } from '../app/exit.js';
import { VERSION } from '../app/version.js';
import { argument, BREAK, escaped, flag, prose } from './mdoc.js';
import { type Note, splitExamples } from './notes.js';
import { PLACES, type Row, variables } from './surroundings.js';
import { type CommandEntry, described, type OptionEntry } from './tree.js';

export interface ManualOptions {
  /** Printed on the pages, so that the same input makes the same pages. */
  date: Date;
  /** Names of all pages, for SEE ALSO. */
  programs: readonly string[];
}

export interface Page {
  /** `mempalace-search`; of section 1. */
  name: string;
  text: string;
}

/**
 * The manual of a program in mdoc: a page for it and, as in git, one for each command, so that
 * `man mempalace search` finds it.
 */
export function manual(program: CommandEntry, options: ManualOptions): Page[] {
  const { programs } = options;
  const pages = (command: CommandEntry): Page[] => {
    const commands = described(command);
    const around =
      command === program
        ? [...table('ENVIRONMENT', 'Ev', variables()), ...table('FILES', 'Pa', PLACES)]
        : ['.Sh ENVIRONMENT', `Variables and files are described in\n.Xr ${program.name} 1 .`];
    const also = [...programs, ...commands.map((each) => pageName(each, programs))];
    return [page(command, options, around, also), ...commands.flatMap(pages)];
  };
  return pages(program);
}

function page(
  command: CommandEntry,
  { date, programs }: ManualOptions,
  around: readonly string[],
  also: readonly string[],
): Page {
  const commands = described(command);
  const name = pageName(command, programs);
  const { examples, others } = splitExamples(command.notes);
  const own = command.options.filter((option) => !option.common);
  const common = command.options.filter((option) => option.common);
  const lines = [
    '.\\" Made from the command tree by the build.',
    `.Dd ${day(date)}`,
    `.Dt ${name.toUpperCase()} 1`,
    `.Os mempalace-toolkit ${VERSION}`,
    '.Sh NAME',
    `.Nm ${name}`,
    `.Nd ${escaped(command.description)}`,
    '.Sh SYNOPSIS',
    `.Nm ${command.path}`,
    ...own.map((option) => `.Op ${optionTerm(option)}`),
    '.Op Ar options of every command',
    ...(commands.length > 0 ? ['.Ar command'] : command.arguments.map(synopsis)),
    '.Sh DESCRIPTION',
    prose(`${command.description}.`),
    ...table(
      '',
      'Ar',
      command.arguments.map((each) => ({ term: each.name, about: each.fullDescription })),
    ),
    ...others.flatMap(noted),
    ...(commands.length > 0
      ? ['.Sh COMMANDS', ...list(commands.map((each) => commandItem(each, programs)))]
      : []),
    '.Sh OPTIONS',
    ...groups(own).flatMap(([heading, members]) => [
      ...(heading === 'Options:' ? [] : [`.Ss ${escaped(heading.replace(/:$/, ''))}`]),
      ...list(members.map(optionItem)),
    ]),
    '.Ss Options of every command',
    ...list(common.map(optionItem)),
    ...around,
    '.Sh EXIT STATUS',
    ...list(EXIT_MEANINGS.map(([code, meaning]) => [`.It ${code}`, prose(meaning)])),
    ...(examples.length > 0 ? ['.Sh EXAMPLES', ...examples.flatMap(example).slice(1)] : []),
    '.Sh SEE ALSO',
    also
      .filter((each) => each !== name)
      .sort()
      .map((each, index, all) => `.Xr ${each} 1${index < all.length - 1 ? ' ,' : ''}`)
      .join('\n'),
  ];
  return { name, text: `${lines.filter((line) => line !== '').join('\n')}\n` };
}

/** Avoids the page name of a program: `mempalace mcp` and `mempalace-mcp`. */
function pageName(command: CommandEntry, programs: readonly string[]): string {
  const name = command.path.replaceAll(' ', '-');
  return command.path !== name && programs.includes(name) ? `${name}-command` : name;
}

function day(date: Date): string {
  return date.toLocaleDateString('en-US', {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
  });
}

function synopsis({ name, required, variadic }: CommandEntry['arguments'][number]): string {
  const term = `Ar ${argument(name)}${variadic ? ' ...' : ''}`;
  return required ? `.${term}` : `.Op ${term}`;
}

function optionTerm({ long, value }: OptionEntry): string {
  if (value === undefined) return flag(long);
  return value.required
    ? `${flag(long)} Ar ${argument(value.name)}`
    : `${flag(long)} Oo Ar ${argument(value.name)} Oc`;
}

function optionItem(option: OptionEntry): string[] {
  const short = option.short === undefined ? '' : `${flag(option.short)} , `;
  return [`.It ${short}${optionTerm(option)}`, prose(option.fullDescription)];
}

function commandItem(command: CommandEntry, programs: readonly string[]): string[] {
  return [`.It Xr ${pageName(command, programs)} 1`, prose(command.description)];
}

function groups(options: OptionEntry[]): [string, OptionEntry[]][] {
  const names = [...new Set(options.map(({ group }) => group))];
  return names.map((name) => [name, options.filter(({ group }) => group === name)]);
}

function noted(note: Note): string[] {
  if (note.kind === 'text') return ['.Pp', prose(note.text)];
  return [
    '.Pp',
    `${prose(note.heading)}:`,
    ...list(note.items.map(({ term, about }) => [`.It ${argument(term)}`, prose(about)])),
  ];
}

function example({ term, about }: Row): string[] {
  return [
    BREAK,
    ...(about === '' ? [] : [`${prose(about)}:`]),
    '.Bd -literal -offset indent',
    prose(term),
    '.Ed',
  ];
}

function table(heading: string, macro: string, rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const items = rows.map(({ term, about }) => [`.It ${macro} ${argument(term)}`, prose(about)]);
  return [...(heading === '' ? [] : [`.Sh ${heading}`]), ...list(items)];
}

function list(items: string[][]): string[] {
  if (items.length === 0) return [];
  return ['.Bl -tag -width Ds', ...items.flat().filter((line) => line !== ''), '.El'];
}
