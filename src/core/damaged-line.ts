import { isRecord, parseJson } from './json.js';

interface Piece {
  text: string;
  /** Undefined for a piece that was cut off. */
  json: Record<string, unknown> | undefined;
  /** It was cut off within a string, at the end of the line: the string may contain a line break. */
  inString?: boolean;
}

/**
 * The pieces of a line that is not JSON: the complete objects between NUL bytes, behind a piece that was cut off, or several
 * in a row; and what is left between them. An object within another one, or quoted in a string, is not a piece. The time is
 * proportional to the length.
 */
export function piecesOf(line: string): Piece[] {
  return line.split(/\0+/).flatMap((text, index) => [...piecesWithin(text, index === 0)]);
}

/** Parses an object whose strings may contain control characters, such as line breaks, that are not escaped. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  const json =
    parseJson(text) ?? parseJson(text.replace(CONTROLS, (each) => JSON.stringify(each).slice(1, -1)));
  return isRecord(json) ? json : undefined;
}

const CONTROLS = /[\u0001-\u001f]/g;
const EMPTY = /^[\s\uFEFF]*$/;
const BOUNDARY = /[\s\uFEFF]*(?:\{|$)/y;
/** What follows an object within another one. */
const WITHIN = /\s*[,}\]]/y;
const FIRST_KEY = /\{\s*"(?:[^"\\]|\\.){0,200}"/y;

/** @param isStart whether the text begins where the line does */
function* piecesWithin(text: string, isStart: boolean): Generator<Piece> {
  /** The start of what is in no piece so far. */
  let rest = 0;
  let isWhole = isStart;
  const lost = function* (end: number, inString = false): Generator<Piece> {
    const piece = text.slice(rest, end);
    rest = end;
    if (!EMPTY.test(piece)) yield { text: piece.trimStart(), json: undefined, inString };
  };
  for (let start = text.indexOf('{'); start !== -1; ) {
    const { end, kind, inner, inString } = scan(text, start);
    let found: { start: number; end: number } | undefined;
    if (kind === 'whole') {
      const isNext =
        matches(WITHIN, text, end) === undefined &&
        (EMPTY.test(text.slice(rest, start)) ? isWhole : beginAlike(text, rest, start));
      if (end > start + 2 && (isNext || matches(BOUNDARY, text, end) !== undefined)) found = { start, end };
    } else if (inner !== undefined && matches(BOUNDARY, text, inner.end) !== undefined) {
      // If the piece before was cut off in front of a value, the next object looks like that value.
      if (beginAlike(text, start, inner.start)) found = inner;
    }
    const json = found && parseObject(text.slice(found.start, found.end));
    if (found !== undefined && json !== undefined) {
      yield* lost(found.start);
      yield { text: text.slice(found.start, found.end), json };
      rest = found.end;
      isWhole = true;
    }
    if (kind === 'open') {
      if (rest <= start) yield* lost(start);
      if (rest <= start) yield* lost(text.length, inString);
      break;
    }
    // The first quote of an object ends the string in which the piece before it was cut off.
    const last = kind === 'wrong' ? text.lastIndexOf('{', end) : -1;
    start = last > start ? last : text.indexOf('{', kind === 'wrong' ? end + 1 : end);
  }
  yield* lost(text.length);
}

/** Whether a piece that was cut off is of an object like the one that follows: another writer wrote that one in the middle of it. */
function beginAlike(text: string, piece: number, start: number): boolean {
  const first = matches(FIRST_KEY, text, piece);
  return first !== undefined && first === matches(FIRST_KEY, text, start);
}

function matches(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

interface Scan {
  /** `open`: the text ends before the object does. `wrong`: what is at `end` cannot be there. */
  kind: 'whole' | 'open' | 'wrong';
  end: number;
  /** Of an object that is not whole: the last complete object within it. */
  inner?: { start: number; end: number } | undefined;
  inString?: boolean;
}

const SCALAR = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
type Expected = 'value' | 'item' | 'key' | 'field' | 'colon' | 'more';

/** Follows the grammar of JSON from the brace at `start`. Strings may contain control characters. */
function scan(text: string, start: number): Scan {
  const open: number[] = [];
  let inner: Scan['inner'];
  let expected: Expected = 'value';
  const isObject = () => text[open.at(-1) ?? start] === '{';
  for (let at = start; at < text.length; ) {
    const char = text[at] ?? '';
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') {
      at += 1;
      continue;
    }
    const isValue: boolean = expected === 'value' || expected === 'item';
    const isKey: boolean = expected === 'key' || expected === 'field';
    const closes = char === '}' ? expected === 'field' || (expected === 'more' && isObject()) : false;
    const closesList = char === ']' ? expected === 'item' || (expected === 'more' && !isObject()) : false;
    if (closes || closesList) {
      const begun = open.pop() ?? start;
      at += 1;
      if (open.length === 0) return { kind: 'whole', end: at };
      if (closes) inner = { start: begun, end: at };
      expected = 'more';
    } else if (isValue && (char === '{' || char === '[')) {
      open.push(at);
      at += 1;
      expected = char === '{' ? 'field' : 'item';
    } else if (char === '"' && (isValue || isKey)) {
      const { end, isOpen } = stringEnd(text, at);
      if (isOpen) return { kind: 'open', end: text.length, inner, inString: true };
      if (end < 0) return { kind: 'wrong', end: -end, inner };
      at = end;
      expected = isKey ? 'colon' : 'more';
    } else if (char === ':' && expected === 'colon') {
      at += 1;
      expected = 'value';
    } else if (char === ',' && expected === 'more') {
      at += 1;
      expected = isObject() ? 'key' : 'value';
    } else {
      const scalar = isValue ? matches(SCALAR, text, at) : undefined;
      if (scalar === undefined) return { kind: 'wrong', end: at, inner };
      at += scalar.length;
      expected = 'more';
    }
  }
  return { kind: 'open', end: text.length, inner };
}

/** The end of a string, behind its quote; negative: where an escape is wrong. */
function stringEnd(text: string, start: number): { end: number; isOpen?: true } {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 34) return { end: at + 1 };
    if (char !== 92) continue;
    const escaped = matches(ESCAPE, text, at);
    if (escaped === undefined) return { end: -at };
    at += escaped.length - 1;
  }
  return { end: 0, isOpen: true };
}
