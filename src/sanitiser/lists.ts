import { matchAt } from './finder.js';
import { type Read, readQuoted, readValue } from './read-value.js';

/** The end of a line, also as an escape in a string. */
const BREAK = String.raw`[ \t]{0,20}(?:\r?\n|\\{1,7}(?:r\\{1,7})?n)`;
/** Before the text of a line: the file and line numbers of tools, marks of diffs and quotes, indentation. */
const MARGIN = String.raw`(?:[\w@./~-]{1,120}\.[a-z]\w{0,7}[:-](?=\d))?(?:[ \t]{0,12}\d{1,6}[ \t]{0,2}[|:→\t-])?(?:[+-](?=[ \t]{1,60}\S))?[ \t>|│]{0,60}`;
/** Empty lines, and comments of YAML. */
const EMPTY_LINES = `(?:${BREAK}${MARGIN}(?:#[^\\n]{0,200})?){0,2}`;
/**
 * The key is itself a value: `name: TOKEN` and `value: …`, `"key": "TOKEN", "value": "…"`, with up to two properties
 * between them.
 */
export const TO_VALUE = String.raw`\\{0,7}["']?[ \t]{0,4},?\s{0,60}(?:\\{0,7}["']?(?!values?\b)\w{1,20}\\{0,7}["']?[ \t]{0,4}:[ \t]{0,4}(?:\\{0,7}"[^"\\\n]{0,80}\\{0,7}"|[\w-]{1,20})(?:,\s{0,60}|\s{1,60})){0,2}\\{0,7}["']?values?\\{0,7}["']?[ \t]{0,4}[:=]`;
/** From the end of the key to a list: `: `, `": `, `'] = `, `=>`, `", ` of a pair, `: string[] = `, `", "value": `. */
const LEAD = new RegExp(
  `(?:${TO_VALUE}|${/\\{0,7}["'`]?(?:[ \t]{0,4},|\]?[*_]{0,2}[ \t]{0,9}(?::[ \t]{0,9}(?:readonly )?[A-Za-z]\w{0,20}(?:\[\]|[<[]\w{1,20}[>\]])[ \t]{0,9}=|=>|:=|\+=|[:=：]))/.source})[*_]{0,2}\\s{0,20}(?:b(?=["']))?`,
  'iy',
);
/** An object around the value: `{"equalTo": "…"}`, `{ value: … }`. */
const WRAPPED =
  /\{\s{0,60}\\{0,7}["']?(?:equalTo|contains|matches|hasExactly|values?|default|plain|raw|text)\\{0,7}["']?[ \t]{0,4}[:=]>?[ \t]{0,9}/iy;
/** `[`, `(`, `["`, `{"` of a set, `[]string{`, `new[] {`, `List.of(`, `vec![`, `%w[`, and arrays as PHP prints them. */
const OPEN =
  /(?:new[ \t]{1,4})?(?:array(?:\(\d{1,4}\))?\s{1,40}[({]|\w{0,20}\[\][ \t]{0,2}\w{0,10}[ \t]{0,4}\{|(?:\w{1,20}\.)?(?:of|asList|list|array|set|tuple|frozenset|listOf|setOf|arrayOf|vec!)[([{]{1,2}|%w[[({]|[[(](?!\])|\{(?=\s{0,40}\\{0,7}["']))/iy;
/** Between the elements of a list, with the indices and types that PHP prints. */
const GAP = new RegExp(
  `(?:\\n${MARGIN}|(?:\\[\\d{1,3}\\]|(?<=\\s)\\d{1,3})[ \\t]{0,2}=>\\s{0,20}|[\\s,[(]|\\\\{1,7}[nrt]|string\\(\\d{1,5}\\) |b(?=["'])|(?<=[\\s,])(?:#|//)[^\\n]{0,200}\\n){0,200}`,
  'y',
);
const CLOSED = /[\])}>]/;
/** After an element: not a key of an object, a call or an index. */
const AFTER = /\\{0,7}["'`]?(?=[ \t]{0,9}(?:[\s,\])};]|\\{1,7}[nrt"']|$))(?![ \t]{0,9}(?:=>|[:=]))/y;
const WORD_IN_LIST = /[^\s"'`<>\\,[\](){}]{1,512}/y;

/** Before a value on another line, with a type, an anchor or a comment of YAML: `: !!binary |`; `::` of reStructuredText. */
const COLON =
  /\\{0,7}["'`]?\]?[*_]{0,2}(?:[ \t]{1,9}(?:is|are))?[ \t]{0,9}(?:=>|:=|::|[:=：])[*_]{0,2}(?:[ \t]{1,4}(?:!{1,2}[\w:/.]{1,40}|&[\w-]{1,40})(?![^\s])){0,2}(?:[ \t][|>][-+]?)?(?:[ \t]{1,9}#[^\n]{0,200})?/y;
/** The end of a line that has a title, an item or a term, and no colon. */
const TITLE_END = new RegExp(`["'\`]?[*_]{0,2}[ \\t]{0,4}#{0,6}(?=${BREAK})`, 'y');
/** The same before the definition of a term: `: …`. */
const TERM_END = new RegExp(`["'\`]?[*_]{0,2}(?=${BREAK}${MARGIN}:[ \\t])`, 'y');
/** A line of a list in YAML or Markdown, or a definition. */
const BULLET = String.raw`(?:[-*•:]|\d{1,2}[.)])[ \t]{1,8}`;
const BLOCK = `(?:!{1,2}\\w{1,20}[ \\t]{1,4})?(?:[|>][-+]?${BREAK}${MARGIN})?`;
const FIRST_ITEM = new RegExp(
  `(?:${BREAK}${MARGIN}values?:)?${EMPTY_LINES}${BREAK}${MARGIN}${BULLET}${BLOCK}(?=[^\\s-])`,
  'y',
);
const NEXT_ITEM = new RegExp(`${EMPTY_LINES}${BREAK}${MARGIN}${BULLET}${BLOCK}(?=[^\\s-])`, 'y');
/** The value on a line of its own, or in a block of Markdown code. */
const BELOW = new RegExp(
  `${EMPTY_LINES}${BREAK}${MARGIN}(?:(?<fence>\`\`\`\\w{0,20})${BREAK}${MARGIN})?(?=[^\\s-])`,
  'y',
);
const LINE_END = /\\{0,7}["'`]?[,;.]?[ \t]{0,200}(?:\r|\n|$|#|\\{1,7}[nr]|\\{0,7}["'](?=\s{0,9}[,}\])]|$))/y;

/** Reads an unquoted value; `inList` when it ends with a comma or a bracket. */
type ReadBare = (text: string, from: number, inList: boolean) => Read | null;

export interface Listed extends Read {
  /** `element` of brackets, `item` of lines with a mark each; alone on the next line, `indented` or in code, or `below`. */
  as: 'element' | 'item' | 'indented' | 'below';
}

const MOST = 256;
const LONGEST = 16_384;

/**
 * The values of a list after a key: in brackets, on lines with a mark each, or one value on the next line. Values of
 * several words are not read, unless `bare` reads them.
 *
 * @param keyEnd in UTF-16 code units
 */
export function listAfter(text: string, keyEnd: number, bare: ReadBare = readWord): Listed[] {
  let start = matchAt(LEAD, text, keyEnd) === null ? undefined : LEAD.lastIndex;
  if (start !== undefined && matchAt(WRAPPED, text, start) !== null) {
    start = WRAPPED.lastIndex;
    const value = readQuoted(text, start);
    // `default` may also be a sentence.
    if (value !== null) return [{ ...value, quoted: false, as: 'element' }];
  }
  if (start !== undefined && matchAt(OPEN, text, start) !== null) return elements(text, OPEN.lastIndex, bare);
  return matchAt(COLON, text, keyEnd) === null ? [] : onLinesAfter(text, COLON.lastIndex, bare);
}

/**
 * The values on the lines below a key without a colon: `## Token⏎⏎…`, `- token⏎  - …`, `token⏎: …`.
 *
 * @param isTitle the key ends a title, an item or a term in bold; else only a definition is read
 */
export function listBelow(text: string, keyEnd: number, isTitle: boolean): Listed[] {
  const end = isTitle ? TITLE_END : TERM_END;
  return matchAt(end, text, keyEnd) === null ? [] : onLinesAfter(text, end.lastIndex, readWord);
}

function onLinesAfter(text: string, lineEnd: number, bare: ReadBare): Listed[] {
  return matchAt(FIRST_ITEM, text, lineEnd) === null
    ? below(text, lineEnd, bare)
    : items(text, FIRST_ITEM.lastIndex, bare);
}

/** Several values in one: `API_KEYS=…,…`, `TOKENS="… …"`. */
const SEPARATED =
  /\\{0,7}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,7}["']?(?<values>[\w+/.~-]{20,512}={0,2}(?:[,; ]{1,2}[\w+/.~-]{20,512}={0,2}){0,32})(?![\w+/.~-])/dy;

/** The values after a key in the plural that are not a list. */
export function separatedAfter(text: string, keyEnd: number): Read[] {
  const [start] = matchAt(SEPARATED, text, keyEnd)?.indices?.groups?.values ?? [];
  if (start === undefined) return [];
  return Array.from(text.slice(start, SEPARATED.lastIndex).matchAll(/[^,; ]+/g), ({ 0: value, index }) => ({
    start: start + index,
    end: start + index + value.length,
    quoted: false,
  }));
}

/** The value in quotes after a key: `", "…"` of a pair, `": "…"`, `", "value": "…"`. */
export function quotedAfter(text: string, keyEnd: number): Read | null {
  return matchAt(LEAD, text, keyEnd) === null ? null : readQuoted(text, LEAD.lastIndex);
}

/** The next item or element after an option: `- --password⏎- …`, `[--password, …]`. */
const NEXT_ARGUMENT = new RegExp(
  `\\\\{0,7}["'\`]?(?:,[ \\t]{1,4}|,?${BREAK}${MARGIN}(?:-[ \\t]{1,8})?)(?=[^\\s-])`,
  'y',
);

/** The value of an option in a list of arguments. */
export function argumentAfter(text: string, keyEnd: number): Read | null {
  if (matchAt(NEXT_ARGUMENT, text, keyEnd) === null) return null;
  return readQuoted(text, NEXT_ARGUMENT.lastIndex) ?? readWord(text, NEXT_ARGUMENT.lastIndex, true);
}

function elements(text: string, from: number, bare: ReadBare): Listed[] {
  const found: Listed[] = [];
  for (let at = from; found.length < MOST && at - from < LONGEST; ) {
    if (matchAt(GAP, text, at) !== null) at = GAP.lastIndex;
    if (CLOSED.test(text.charAt(at))) break;
    const value = readQuoted(text, at) ?? bare(text, at, true);
    if (value === null || matchAt(AFTER, text, value.end) === null) break;
    found.push({ ...value, as: 'element' });
    at = AFTER.lastIndex;
  }
  return found;
}

function items(text: string, from: number, bare: ReadBare): Listed[] {
  const found: Listed[] = [];
  for (let at = from; found.length < MOST && at - from < LONGEST; at = NEXT_ITEM.lastIndex) {
    const value = readQuoted(text, at) ?? bare(text, at, false);
    if (value === null || matchAt(LINE_END, text, value.end) === null) break;
    found.push({ ...value, as: 'item' });
    const end =
      matchAt(/\\{0,7}["'`]?[,;.]?[ \t]{0,20}(?:#[^\n]{0,200})?/y, text, value.end)?.[0].length ?? 0;
    if (matchAt(NEXT_ITEM, text, value.end + end) === null) break;
  }
  return found;
}

function below(text: string, from: number, bare: ReadBare): Listed[] {
  const match = matchAt(BELOW, text, from);
  if (match === null) return [];
  const value = readQuoted(text, BELOW.lastIndex) ?? bare(text, BELOW.lastIndex, false);
  if (value === null || matchAt(LINE_END, text, value.end) === null) return [];
  const isIndented = match.groups?.fence !== undefined || /[ \t]/.test(text.charAt(BELOW.lastIndex - 1));
  return [{ ...value, as: isIndented ? 'indented' : 'below' }];
}

function readWord(text: string, from: number, inList: boolean): Read | null {
  if (!inList) return readValue(text, from);
  const word = matchAt(WORD_IN_LIST, text, from)?.[0];
  return word === undefined ? null : { start: from, end: from + word.length, quoted: false };
}
