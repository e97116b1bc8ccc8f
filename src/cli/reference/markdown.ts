import { EXIT_MEANINGS } from '../app/exit.js';
import { type Note, splitNotes } from './notes.js';
import type { Row } from './surroundings.js';
import { type CommandEntry, described, type OptionEntry } from './tree.js';

const HEAD = `# Commands

<!-- Made from the command tree by \`npm run docs\`: edit src/cli instead. -->

All commands and options, as in \`--help\` and the man pages. See also the [README](../README.md), the
[output with \`--json\`](json-output.md), and the [settings and variables](configuration.md).
`;

/** docs/cli.md: all commands of all programs. */
export function commandReference(programs: readonly CommandEntry[]): string {
  const common = programs[0]?.options.filter((option) => option.common) ?? [];
  return [
    HEAD,
    ...programs.map(section),
    '## Options of every command\n',
    optionTable(common),
    '\n## Exit codes\n',
    table('code', EXIT_MEANINGS),
    '',
  ].join('\n');
}

/** A command and its subcommands. */
function section(command: CommandEntry): string {
  const { examples, others } = splitNotes(command.notes);
  const own = command.options.filter((option) => !option.common);
  const commands = described(command);
  const listed = commands.map(
    ({ path, description }): Row => [`[${code(path)}](#${path.replaceAll(' ', '-')})`, description],
  );
  const entries = command.arguments.map(({ term, fullDescription }): Row => [code(term), fullDescription]);
  return [
    `## ${command.path}\n`,
    `${command.description}.\n`,
    `\`\`\`text\n${command.path} ${command.usage}\n\`\`\`\n`,
    ...(entries.length > 0 ? [`${table('argument', entries)}\n`] : []),
    ...(own.length > 0 ? [`${optionTable(own)}\n`] : []),
    ...others.map(noted),
    ...(examples.length > 0 ? [`\`\`\`sh\n${examples.map(exampleLine(examples)).join('\n')}\n\`\`\`\n`] : []),
    ...(commands.length > 0 ? [`${table('command', listed)}\n`] : []),
    ...commands.map(section),
  ].join('\n');
}

function optionTable(options: OptionEntry[]): string {
  return table(
    'option',
    options.map(({ flags, fullDescription }) => [code(flags), fullDescription]),
  );
}

function noted(note: Note): string {
  if (note.kind === 'text') return `${text(note.text)}\n`;
  const items = note.items.map(([term, about]) => `- ${code(term)}${about === '' ? '' : `: ${text(about)}`}`);
  return `${text(note.heading)}:\n\n${items.join('\n')}\n`;
}

function exampleLine(examples: readonly Row[]): (example: Row) => string {
  const width = Math.max(...examples.map(([term]) => term.length));
  return ([term, about]) => (about === '' ? term : `${term.padEnd(width)}   # ${about}`);
}

/** @param rows terms in Markdown, with their descriptions */
function table(heading: string, rows: readonly Row[]): string {
  const cells = rows.map(([term, about]) => `| ${term} | ${text(about).replaceAll('|', '\\|')} |`);
  return [`| ${heading} | |`, '| --- | --- |', ...cells].join('\n');
}

/** Escapes Markdown, except words in backticks. */
function text(words: string): string {
  const markup = /(`[^`]*`)|([<*[\]\\]|(?<![^\W_])_|_(?![^\W_]))/g;
  return words.replace(markup, (_, quoted?: string, mark?: string) => quoted ?? `\\${mark}`);
}

function code(words: string): string {
  return `\`${words.replaceAll('|', '\\|')}\``;
}
