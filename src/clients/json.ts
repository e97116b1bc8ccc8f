import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { UserError } from '../core/errors.js';
import { startsProgram } from './entry.js';

/** Keys of objects, and positions in lists. */
export type JsonPath = readonly (string | number)[];

/** The value at a path of a JSON text. @throws as `withValue` does */
export function valueIn(text: string, path: JsonPath): unknown {
  const node = findNodeAtLocation(parsed(text), [...path]);
  return node === undefined ? undefined : getNodeValue(node);
}

/**
 * Replaces the value at a path of a JSON text, with or without comments. Everything else stays, character by character;
 * new values get the layout of the rest.
 *
 * @param value undefined removes the property
 * @throws UserError `config` when the text, or a value on the path, is not a JSON object
 */
export function withValue(text: string, path: JsonPath, value: unknown): string {
  const root = parsed(text);
  const current = findNodeAtLocation(root, [...path]);
  if (current === undefined && value === undefined) return text;
  if (current !== undefined && isDeepStrictEqual(getNodeValue(current), value)) return text;
  if (value === undefined)
    return applyEdits(text, removal(text, current) ?? modify(text, [...path], undefined, {}));
  const layout = layoutOf(text);
  if (current !== undefined) {
    const content = laidOut(value, indentAt(text, current.offset), layout);
    return applyEdits(text, [{ offset: current.offset, length: current.length, content }]);
  }
  let home = root;
  let depth = 0;
  for (; depth < path.length - 1; depth += 1) {
    const inner = findNodeAtLocation(home, [path[depth] ?? '']);
    if (inner === undefined) break;
    if (inner.type !== 'object') throw new UserError('config', `its ${path[depth]} is not an object`);
    home = inner;
  }
  const missing = path.slice(depth);
  const nested = missing.slice(1).reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
  return applyEdits(text, insertion(text, home, missing[0], nested, layout));
}

/** Appends to the list at a path, which is made where it is missing. @throws as `withValue` does, also if it is no list */
export function withItem(text: string, path: JsonPath, value: unknown): string {
  const list = findNodeAtLocation(parsed(text), [...path]);
  if (list === undefined) return withValue(text, path, [value]);
  if (list.type !== 'array') throw new UserError('config', `its ${path.join('.')} is not a list`);
  return applyEdits(text, insertion(text, list, undefined, value, layoutOf(text)));
}

/** Removes the object or the list at a path if it is empty. @throws as `withValue` does */
export function withoutEmpty(text: string, path: JsonPath): string {
  const value = valueIn(text, path);
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty ? withValue(text, path, undefined) : text;
}

/** As `withValue`, for a server's entry: other properties of an entry that starts a program stay. */
export function withEntry(text: string, path: readonly string[], entry: Record<string, unknown>): string {
  const current = findNodeAtLocation(parsed(text), [...path]);
  if (current === undefined || !startsProgram(getNodeValue(current))) return withValue(text, path, entry);
  return Object.entries(entry).reduce(
    (changed, [key, value]) => withValue(changed, [...path, key], value),
    text,
  );
}

interface Layout {
  unit: string;
  eol: string;
}

/** Inserts after the last property or item, and after a comment on the same line. @param key undefined in a list */
function insertion(
  text: string,
  home: Node,
  key: string | number | undefined,
  value: unknown,
  layout: Layout,
): Edit[] {
  const outer = indentAt(text, home.offset);
  const last = home.children?.at(-1);
  const own = last === undefined ? '' : indentAt(text, last.offset);
  const indent = own.length > outer.length ? own : outer + layout.unit;
  const property = `${key === undefined ? '' : `${JSON.stringify(key)}: `}${laidOut(value, indent, layout)}`;
  const line = `${layout.eol}${indent}${property}`;
  if (last === undefined) {
    const inner = text.slice(home.offset + 1, home.offset + home.length - 1);
    const content = `${line}${layout.eol}${outer}`;
    return inner.trim() === ''
      ? [{ offset: home.offset + 1, length: inner.length, content }]
      : [{ offset: home.offset + 1, length: 0, content: line }];
  }
  const end = last.offset + last.length;
  const rest = /^(,?)[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?=\r?\n)/.exec(text.slice(end));
  if (rest === null) return [{ offset: end, length: 0, content: `, ${property}` }];
  const behind = end + rest[0].length;
  if (rest[1] === ',') return [{ offset: behind, length: 0, content: `${line},` }];
  return [
    { offset: end, length: 0, content: ',' },
    { offset: behind, length: 0, content: line },
  ];
}

/**
 * Removes the lines of a property or an item, and the comma before it if it is the last one. (The library would also remove the
 * comments after that comma.) Undefined when it shares a line with others.
 */
function removal(text: string, current: Node | undefined): Edit[] | undefined {
  const property = current?.parent?.type === 'property' ? current.parent : current;
  if (property === undefined) return undefined;
  const end = property.offset + property.length;
  const start = property.offset - indentAt(text, property.offset).length;
  const rest = /^(,?)[ \t]*\r?\n/.exec(text.slice(end));
  if (rest === null || text[start - 1] !== '\n') return undefined;
  const lines = { offset: start, length: end + rest[0].length - start, content: '' };
  const siblings = property.parent?.children ?? [];
  const before = siblings[siblings.indexOf(property) - 1];
  if (rest[1] === ',' || before === undefined) return [lines];
  const comma = before.offset + before.length;
  return text[comma] === ',' ? [{ offset: comma, length: 1, content: '' }, lines] : undefined;
}

function laidOut(value: unknown, indent: string, { unit, eol }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

function indentAt(text: string, offset: number): string {
  const line = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, offset))?.[0] ?? '';
}

function parsed(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw new UserError('config', `it is not JSON: ${printParseErrorCode(error.error)} in line ${line}`);
  }
  if (root?.type !== 'object') throw new UserError('config', 'it is not a JSON object');
  return root;
}

/** The layout of the text; two blanks when it does not show any. */
function layoutOf(text: string): Layout {
  return { unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
