import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, TomlError } from 'smol-toml';
import { UserError } from '../core/errors.js';
import { startsProgram } from './entry.js';

type Tables = Record<string, unknown>;

/** The table `[parent.name]` of a TOML text. @throws as `withTable` does */
export const tableIn = (text: string, parent: string, name: string): unknown =>
  tableOf(parsed(text), parent, name);

/**
 * Replaces the table `[parent.name]` of a TOML text, or appends it. Everything else stays, character by character, and a
 * check confirms that it still parses to the same values.
 *
 * @param value undefined removes the table and its subtables
 * @throws UserError `config` when the text is not TOML, or has that table in another form
 */
export function withTable(text: string, parent: string, name: string, value: Tables | undefined): string {
  const before = parsed(text);
  const current = tableOf(before, parent, name);
  if (isDeepStrictEqual(current, value)) return text;
  const eol = eolOf(text);
  const block = value === undefined ? '' : blockOf(parent, name, value).replaceAll('\n', eol);
  const after = current === undefined ? appended(text, block) : replaced(text, parent, name, block);
  const { [name]: _, ...others } = { ...(before[parent] as Tables | undefined) };
  const expected = { ...before, [parent]: value === undefined ? others : { ...others, [name]: value } };
  // A parent without tables may be gone.
  if (isWhole(after) && isDeepStrictEqual({ [parent]: {}, ...parsed(after) }, expected)) return after;
  throw new UserError('config', `it has ${parent}.${name} in a form that cannot be changed safely`, {
    hint: 'change it by hand: mempalace mcp print shows the entry',
  });
}

/** As `withTable`, for a server's entry: other keys of an entry that starts a program stay. */
export function withEntry(text: string, parent: string, name: string, entry: Tables): string {
  const current = tableOf(parsed(text), parent, name);
  return withTable(text, parent, name, startsProgram(current) ? { ...current, ...entry } : entry);
}

function blockOf(parent: string, name: string, value: Tables): string {
  const text = stringify({ [parent]: { [name]: value } });
  return text.slice(text.indexOf(`[${parent}.`));
}

export const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** With a block at the end of the text, after an empty line. */
export function appended(text: string, block: string): string {
  if (text.trim() === '') return block;
  const eol = eolOf(text);
  return `${text.endsWith('\n') ? text : `${text}${eol}`}${eol}${block}`;
}

/** Replaces the lines of the table and its subtables with a block. */
function replaced(text: string, parent: string, name: string, block: string): string {
  const word = (key: string) => `(?:${key}|"${key}"|'${key}')`;
  const own = new RegExp(
    String.raw`^\s*\[\s*${word(parent)}\s*\.\s*${word(name)}\s*(?:\.[^\]]*)?\]\s*(?:#.*)?\s*$`,
  );
  const kept: string[] = [];
  let placed = false;
  for (const { lines, trailing } of partsOf(text)) {
    if (!own.test(lines[0] ?? '')) {
      kept.push(...lines, ...trailing);
      continue;
    }
    if (!placed) kept.push(block);
    placed = true;
    // One empty line is enough where the table was.
    const blank = block === '' && (kept.at(-1) ?? '').trim() === '' && trailing[0]?.trim() === '';
    kept.push(...trailing.slice(blank ? 1 : 0));
  }
  return kept.join('').replace(/\n+$/, '\n');
}

/** What is above the first table, then each table. The empty lines and comments at its end may belong to the next one. */
export function partsOf(text: string): { lines: string[]; trailing: string[] }[] {
  let part = { lines: [] as string[], trailing: [] as string[] };
  const parts = [part];
  for (const line of text.split(/(?<=\n)/)) {
    if (/^\s*\[/.test(line) && isWhole(part.lines.join(''))) {
      part = { lines: [line], trailing: [] };
      parts.push(part);
    } else if (/^\s*(?:#.*)?\s*$/.test(line)) part.trailing.push(line);
    else part.lines.push(...part.trailing.splice(0), line);
  }
  return parts;
}

/** Whether a line after this text begins a statement, rather than continuing an array or a multi-line string. */
export function isWhole(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The tables of a TOML text. @throws UserError `config` when it is not TOML */
export function parsed(text: string): Tables {
  try {
    // A copy, whose tables are plain objects.
    return structuredClone(parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UserError('config', `it is not TOML: ${error.message.split('\n')[0]} in line ${error.line}`);
  }
}

function tableOf(tables: Tables, parent: string, name: string): unknown {
  const above = tables[parent];
  return typeof above === 'object' && above !== null ? (above as Tables)[name] : undefined;
}
