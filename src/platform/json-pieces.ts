import { randomUUID } from 'node:crypto';

const code = (character: string): number => character.charCodeAt(0);
const QUOTE = code('"');
const BACKSLASH = code('\\');
const OPEN = code('{');
const CLOSE = code('}');
const COMMA = code(',');
const END = code(']');

interface JsonPieces {
  /** The document with that list empty. */
  rest: unknown;
  /** Each item as it is asked for. @throws SyntaxError */
  items: () => Iterable<unknown>;
}

/**
 * A JSON object one list of which is too long to be parsed as a whole: its text, its values and what is made of them
 * would be held side by side. The list must hold objects and stand as `JSON.stringify` writes it; any other document
 * is parsed as a whole.
 *
 * @throws SyntaxError
 */
export function jsonPieces(bytes: Buffer, list: string): JsonPieces {
  const name = `${JSON.stringify(list)}:[`;
  const before = bytes.indexOf(name);
  const start = before + Buffer.byteLength(name);
  const items = before < 0 ? undefined : boundsOf(bytes, start);
  if (items === undefined) return asWhole(bytes, list);
  const end = items.at(-1) ?? start;
  const mark = randomUUID();
  const rest = JSON.parse(`${bytes.toString('utf8', 0, start)}"${mark}"${bytes.toString('utf8', end)}`);
  // Another list of that name, in an object that is part of the document.
  if (!Array.isArray(rest?.[list]) || rest[list][0] !== mark) return asWhole(bytes, list);
  return {
    rest: { ...rest, [list]: [] },
    *items() {
      for (let at = 0; at + 1 < items.length; at += 2)
        yield JSON.parse(bytes.toString('utf8', items[at], items[at + 1]));
    },
  };
}

function asWhole(bytes: Buffer, list: string): JsonPieces {
  const document = JSON.parse(bytes.toString('utf8'));
  const items = document?.[list];
  return Array.isArray(items)
    ? { rest: { ...document, [list]: [] }, items: () => items }
    : { rest: document, items: () => [] };
}

/** Where objects that follow on one another begin and end, up to the end of their list; undefined for anything else. */
function boundsOf(bytes: Buffer, start: number): number[] | undefined {
  const bounds: number[] = [];
  if (bytes[start] === END) return bounds;
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = closingQuote(bytes, at);
    else if (byte === OPEN) {
      if (depth === 0) bounds.push(at);
      depth += 1;
    } else if (byte === CLOSE) {
      depth -= 1;
      if (depth > 0) continue;
      bounds.push(at + 1);
      if (bytes[at + 1] === END) return bounds;
      if (bytes[at + 1] !== COMMA || bytes[at + 2] !== OPEN) return undefined;
      at += 1;
    } else if (depth === 0) return undefined;
  }
  return undefined;
}

function closingQuote(bytes: Buffer, opening: number): number {
  for (let at = bytes.indexOf(QUOTE, opening + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return bytes.length;
}
