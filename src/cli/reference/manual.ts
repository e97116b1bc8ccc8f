import { exitsOf } from '../app/exit.js';
import { VERSION } from '../app/version.js';
import { argument, BREAK, escaped, flag, prose } from './mdoc.js';
import { type Note, splitNotes } from './notes.js';
import { PLACES, type Row, variables } from './surroundings.js';
import { type ArgumentEntry, type CommandEntry, described, type OptionEntry } from './tree.js';

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
  const around = [
    '.Sh ENVIRONMENT',
    ...list(variables().map(([name, about]) => [`Ev ${argument(name)}`, about])),
    '.Sh FILES',
    ...list(PLACES.map(([path, about]) => [`Pa ${argument(path)}`, about])),
  ];
  const elsewhere = ['.Sh ENVIRONMENT', `Variables and files are described in\n.Xr ${program.name} 1 .`];
  const pages = (command: CommandEntry): Page[] => [
    page(command, options, command === program ? around : elsewhere),
    ...described(command).flatMap(pages),
  ];
  return pages(program);
}

function page(command: CommandEntry, { date, programs }: ManualOptions, around: readonly string[]): Page {
  const commands = described(command).map((each): Row => [pageName(each, programs), each.description]);
  const name = pageName(command, programs);
  const also = [...programs, ...commands.map(([page]) => page)].filter((each) => each !== name).sort();
  const { examples, others } = splitNotes(command.notes);
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
    ...list(command.arguments.map((each) => [`Ar ${argument(each.name)}`, each.fullDescription])),
    ...others.flatMap(noted),
    ...(commands.length > 0 ? ['.Sh COMMANDS'] : []),
    ...list(commands.map(([page, about]) => [`Xr ${page} 1`, about])),
    '.Sh OPTIONS',
    ...[...new Set(own.map(({ group }) => group))].flatMap((group) => [
      ...(group === 'Options:' ? [] : [`.Ss ${escaped(group.replace(/:$/, ''))}`]),
      ...list(own.filter((option) => option.group === group).map(optionItem)),
    ]),
    '.Ss Options of every command',
    ...list(common.map(optionItem)),
    ...around,
    '.Sh EXIT STATUS',
    ...list(exitsOf(command.path)),
    ...(examples.length > 0 ? ['.Sh EXAMPLES', ...examples.flatMap(example)] : []),
    '.Sh SEE ALSO',
    also.map((each) => `.Xr ${each} 1`).join(' ,\n'),
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

function synopsis({ name, required, variadic }: ArgumentEntry): string {
  const term = `Ar ${argument(name)}${variadic ? ' ...' : ''}`;
  return required ? `.${term}` : `.Op ${term}`;
}

function optionTerm({ long, value }: OptionEntry): string {
  if (value === undefined) return flag(long);
  const term = `Ar ${argument(value.name)}`;
  return `${flag(long)} ${value.required ? term : `Oo ${term} Oc`}`;
}

function optionItem(option: OptionEntry): Row {
  const short = option.short === undefined ? '' : `${flag(option.short)} , `;
  return [short + optionTerm(option), option.fullDescription];
}

function noted(note: Note): string[] {
  if (note.kind === 'text') return [BREAK, prose(note.text)];
  const items = note.items.map(([term, about]): Row => [argument(term), about]);
  return [BREAK, `${prose(note.heading)}:`, ...list(items)];
}

/** A display begins a paragraph by itself, and so does a section: mandoc warns of a break there. */
function example([command, about]: Row, index: number): string[] {
  const heading = about === '' ? [] : [...(index === 0 ? [] : [BREAK]), `${prose(about)}:`];
  return [...heading, '.Bd -literal -offset indent', prose(command), '.Ed'];
}

/** @param rows terms in mdoc, with their descriptions */
function list(rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const items = rows.flatMap(([term, about]) => [`.It ${term}`, ...(about === '' ? [] : [prose(about)])]);
  return ['.Bl -tag -width Ds', ...items, '.El'];
}
