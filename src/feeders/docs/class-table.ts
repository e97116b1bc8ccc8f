import { DOCUMENT_CLASSES, DROPPED_CLASSES, filesOf, VISITED_HIDDEN_FOLDERS } from './classes.js';
import { OUTPUT_FOLDERS } from './output-folders.js';

interface Row {
  name: string;
  patterns: string[];
  about: string;
}

const LISTED = 12;

/** The tables of classes as Markdown: document classes, dropped classes, folders that are dropped with evidence. */
export function renderClassTable(): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const table = (head: string[], rows: Row[]) => [
    row(head),
    row(head.map(() => '---')),
    ...rows.map(({ name, patterns, about }) => row([name, code(patterns), about])),
  ];
  return [
    ...table(['taken', 'names', 'what'], takenRows()),
    '',
    ...table(['dropped', 'names', 'why'], droppedRows()),
    '',
    ...table(['folder', 'dropped next to one of', 'or with one of'], outputRows()),
  ].join('\n');
}

/** The same for a terminal. @param width in columns */
export function renderClassList(width: number): string {
  const taken = takenRows();
  const dropped = droppedRows();
  const indent = Math.max(...[...taken, ...dropped].map(({ name }) => name.length)) + 4;
  const list = (rows: Row[]) =>
    rows.map(({ name, patterns, about }) => {
      const words = [listed(patterns, (each) => each), about].filter((text) => text !== '').join(': ');
      return `  ${name.padEnd(indent - 2)}${wrapped(words, width - indent).join(`\n${' '.repeat(indent)}`)}`;
    });
  return ['Taken:', ...list(taken), '', 'Dropped:', ...list(dropped)].join('\n');
}

function takenRows(): Row[] {
  return DOCUMENT_CLASSES.map(({ name, files, suffixed = [], about }) => ({
    name,
    patterns: [...files, ...suffixed.map((each) => each.toUpperCase())],
    about,
  }));
}

function droppedRows(): Row[] {
  const byName = DROPPED_CLASSES.map(({ reason, exactly = [], folders = [], about, ...dropped }) => ({
    name: reason,
    patterns: [...exactly, ...filesOf(dropped), ...folders.map((folder) => `${folder}/`)],
    about,
  }));
  const visited = VISITED_HIDDEN_FOLDERS.map((folder) => `${folder}/`).join(' ');
  return [
    ...byName,
    { name: 'hidden folder', patterns: ['.*/'], about: `all but ${visited}` },
    { name: 'binary', patterns: [], about: 'by content, whichever name it has' },
    { name: 'symlink', patterns: [], about: 'never followed' },
  ];
}

function outputRows(): Row[] {
  return OUTPUT_FOLDERS.map(({ names, beside, inside }) => ({
    name: code(names.map((name) => `${name}/`)),
    patterns: [...beside],
    about: code(inside),
  }));
}

const code = (patterns: readonly string[]): string => listed(patterns, (each) => `\`${each}\``);

function listed(patterns: readonly string[], style: (pattern: string) => string): string {
  const shown = patterns.slice(0, LISTED).map(style).join(' ');
  return patterns.length > LISTED ? `${shown} and ${patterns.length - LISTED} more` : shown;
}

/** The text in lines of at most `width` characters; a longer word has a line of its own. */
function wrapped(text: string, width: number): string[] {
  return text.match(new RegExp(`\\S.{0,${Math.max(0, width - 1)}}(?= |$)|\\S+`, 'g')) ?? [];
}
