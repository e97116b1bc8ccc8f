import { isSecretValue, kindOfKey } from './assignments.js';
import { exactly, type Finder, inAnyCase, matchAt } from './finder.js';
import type { Finding } from './findings.js';
import { looksLikeKey } from './secret-heuristics.js';

/** Words in the heads of columns with secrets. */
const WORDS = [
  ...['passw', 'passphrase', 'pwd', 'kennwort', 'contrase', 'senha', 'clave', 'mot de passe'],
  ...['secret', 'token', 'key'],
];
const PASSWORD =
  /^(?:.{0,20}[ _.-])?(?:passwor[dt]|passwd|passphrase|pwd|pass|pw|kennwort|contrase[nñ]a|clave|senha|mot de passe|пароль|密码)$/i;

/** The kind of secret that a column may contain. */
function kindOfColumn(head: string): string | undefined {
  if (PASSWORD.test(head)) return 'password';
  const kind = kindOfKey(head.replaceAll(' ', '_'));
  if (kind !== null) return kind;
  return /(?:^|[ _-])key$/i.test(head) ? 'key' : undefined;
}

interface Cell {
  text: string;
  start: number;
}

/** The secret in a cell of a column of this kind. */
function secretIn({ text, start }: Cell, kind: string | undefined): Finding[] {
  if (kind === undefined) return [];
  const isSecret = kind === 'key' ? looksLikeKey(text, false) : isSecretValue(kind, text, 'firm');
  const found = { start, end: start + text.length, kind: kind === 'key' ? 'api-key' : kind, general: true };
  return isSecret ? [found] : [];
}

const LONGEST_LINE = 2_000;
/** Maximum rows per table; people do not write longer ones. */
const MOST_ROWS = 2_000;
/** At most three words, since sentences contain commas too. */
/** The end of a cell after the first letters of its word. */
const CELL_END = /^[\p{L}\d]{0,10}[ \t"'`*]{0,4}[,;|\r\n\t]/u;
/** The same, since compiling the letters of all scripts takes milliseconds. */
const ASCII_CELL_END = /^[A-Za-z\d]{0,10}[ \t"'`*]{0,4}[,;|\r\n\t]/;
const BEYOND_ASCII = /[^\0-\x7f]/;
const HEAD_CELL = /^[\p{L}\p{N}_()#-]{1,30}(?: [\p{L}\p{N}_()#-]{1,20}){0,2}$/u;

/** Cells of CSV, of tables with tabs and semicolons, and of Markdown, under a head such as `password`. */
export const TABLES: Finder = {
  anchors: [...inAnyCase(WORDS), ...exactly(['пароль', 'Пароль', '密码'])],
  at: (text, place) => {
    const rest = text.slice(place + 2, place + 24);
    const after = (BEYOND_ASCII.test(rest) ? CELL_END : ASCII_CELL_END).exec(rest);
    if (after === null) return undefined;
    const start = lineStart(text, place);
    const end = lineEnd(text, start ?? text.length);
    if (start === undefined || end === undefined) return undefined;
    const head = text.slice(start, end);
    const mark = ['|', '\t', ';', ','].find((each) => head.includes(each));
    if (mark === undefined) return undefined;
    const names = cellsOf(head, start, mark).map(({ text: name }) => name);
    if (
      names.length < 2 ||
      !names.every((name, at) => HEAD_CELL.test(name) || (mark === '|' && isEdge(name, at, names)))
    )
      return undefined;
    const kinds = names.map(kindOfColumn);
    return kinds.some((kind) => kind !== undefined) ? rowsUnder(text, end + 1, mark, kinds) : undefined;
  },
};

function rowsUnder(
  text: string,
  from: number,
  mark: string,
  kinds: readonly (string | undefined)[],
): { findings: Finding[]; next: number } {
  const findings: Finding[] = [];
  let start = from;
  for (let row = 0; row < MOST_ROWS && start < text.length; row += 1) {
    const end = lineEnd(text, start) ?? (text.length - start <= LONGEST_LINE ? text.length : start);
    const line = text.slice(start, end);
    if (!line.includes(mark)) break;
    const cells = cellsOf(line, start, mark);
    if (cells.length !== kinds.length) break;
    findings.push(...cells.flatMap((cell, at) => secretIn(cell, kinds[at])));
    start = end + 1;
  }
  return { findings, next: start };
}

const INSERT =
  /insert\s{1,9}into\s{1,9}[\w."`[\]]{1,80}\s{0,9}\((?<names>[^()]{1,1000})\)\s{0,20}values\s{0,9}/iy;
const TUPLE = /\((?<values>(?:[^()'\n]|'(?:[^'\n]|''){0,500}'){1,400})\)\s{0,9},?\s{0,20}/dy;
const SQL_VALUE = /\s{0,20}(?:'(?<text>(?:[^'\n]|''){0,500})'|[^,']{0,200}?)\s{0,20}(?:,|$)/dg;
const MOST_TUPLES = 1_000;

/** The values of `INSERT INTO users (name, password) VALUES ('ann', '…')`. */
export const INSERTS: Finder = {
  anchors: inAnyCase(['insert into']),
  at: (text, place) => {
    const names = matchAt(INSERT, text, place)?.groups?.names;
    if (names === undefined) return undefined;
    const kinds = names.split(',').map((name) => kindOfColumn(name.replace(/["'`[\]\s]/g, '')));
    if (kinds.every((kind) => kind === undefined)) return { findings: [], next: INSERT.lastIndex };
    const findings: Finding[] = [];
    let next = INSERT.lastIndex;
    for (let tuple = 0; tuple < MOST_TUPLES; tuple += 1) {
      const match = matchAt(TUPLE, text, next);
      const [from] = match?.indices?.groups?.values ?? [];
      if (match === null || from === undefined) break;
      next = TUPLE.lastIndex;
      const values = Array.from((match.groups?.values ?? '').matchAll(SQL_VALUE), ({ indices, groups }) => {
        return { text: groups?.text ?? '', start: from + (indices?.groups?.text?.[0] ?? 0) };
      });
      findings.push(...values.flatMap((value, at) => secretIn(value, kinds[at])));
    }
    return { findings, next };
  },
};

const AROUND_CELL = new Set([' ', '\t', '\r', '"', "'", '`', '*']);

/** The cells of a line without spaces, quotes and marks of Markdown around them. */
function cellsOf(line: string, offset: number, mark: string): Cell[] {
  let from = 0;
  return line.split(mark).map((raw) => {
    let [start, end] = [0, raw.length];
    while (start < end && AROUND_CELL.has(raw.charAt(start))) start += 1;
    while (end > start && AROUND_CELL.has(raw.charAt(end - 1))) end -= 1;
    const cell = { text: raw.slice(start, end), start: offset + from + start };
    from += raw.length + mark.length;
    return cell;
  });
}

/** The empty text before the first and after the last `|` of a line. */
function isEdge(name: string, at: number, names: readonly string[]): boolean {
  return name === '' && (at === 0 || at === names.length - 1);
}

function lineStart(text: string, place: number): number | undefined {
  const least = Math.max(0, place - LONGEST_LINE / 4);
  const feed = text.slice(least, place).lastIndexOf('\n');
  return feed < 0 && least > 0 ? undefined : least + feed + 1;
}

function lineEnd(text: string, start: number): number | undefined {
  const feed = text.slice(start, start + LONGEST_LINE).indexOf('\n');
  return feed < 0 ? undefined : start + feed;
}
