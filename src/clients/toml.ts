import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, TomlError } from 'smol-toml';
import { UserError } from '../core/errors.js';
import { startsProgram } from './entry.js';

type Tables = Record<string, unknown>;

/**
 * A TOML text in which the table `[parent.name]` is another, at its place or at the end. Everything else stays,
 * character by character, and means what it meant: that is checked.
 *
 * @param value undefined takes the table out, with those below it
 * @throws UserError `config` when it is not TOML, or has that table in another form
 */
export function withTable(text: string, parent: string, name: string, value: Tables | undefined): string {
  const before = parsed(text);
  const held = tableIn(before, parent, name);
  if (isDeepStrictEqual(held, value)) return text;
  const block = value === undefined ? '' : blockOf(parent, name, value);
  const after = held === undefined ? appended(text, block) : replaced(text, parent, name, block);
  const same =
    isWhole(after) && isDeepStrictEqual(without(parsed(after), parent, name), without(before, parent, name));
  if (same && isDeepStrictEqual(tableIn(parsed(after), parent, name), value)) return after;
  throw new UserError('config', `it has ${parent}.${name} in a form that cannot be changed safely`, {
    hint: 'change it by hand: mempalace mcp print shows what belongs there',
  });
}

/** As `withTable`, for a server's entry: what else stands in one that starts a program stays. */
export function withEntry(text: string, parent: string, name: string, entry: Tables): string {
  const held = tableIn(parsed(text), parent, name);
  return withTable(text, parent, name, startsProgram(held) ? { ...held, ...entry } : entry);
}

function blockOf(parent: string, name: string, value: Tables): string {
  const text = stringify({ [parent]: { [name]: value } });
  return text.slice(text.indexOf(`[${parent}.`));
}

function appended(text: string, block: string): string {
  if (text.trim() === '') return block;
  return `${text.endsWith('\n') ? text : `${text}\n`}\n${block}`;
}

/** The lines of the table and of those below it are replaced by a block. */
function replaced(text: string, parent: string, name: string, block: string): string {
  const word = (key: string) => `(?:${key}|"${key}"|'${key}')`;
  const own = new RegExp(
    String.raw`^\s*\[\s*${word(parent)}\s*\.\s*${word(name)}\s*(?:\.[^\]]*)?\]\s*(?:#.*)?\s*$`,
  );
  const kept: string[] = [];
  /** Lines at the end of the table that may belong to what follows: empty ones and comments. */
  let trailing: string[] = [];
  let inside = false;
  let placed = false;
  let above = '';
  for (const line of text.split(/(?<=\n)/)) {
    if (/^\s*\[/.test(line) && isWhole(above)) {
      // One empty line is enough where the table was.
      const blank = block === '' && (kept.at(-1) ?? '').trim() === '' && trailing[0]?.trim() === '';
      if (inside) kept.push(...trailing.slice(blank ? 1 : 0));
      inside = own.test(line);
      trailing = [];
    }
    if (!inside) kept.push(line);
    else if (/^\s*(?:#.*)?\s*$/.test(line) && placed) trailing.push(line);
    else {
      trailing = [];
      if (!placed) kept.push(block);
      placed = true;
    }
    above += line;
  }
  return kept.join('').replace(/\n+$/, '\n');
}

/** Whether a line after this text begins a statement: not within an array or a text of several lines. */
function isWhole(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function parsed(text: string): Tables {
  try {
    // A copy, whose tables are plain objects.
    return structuredClone(parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UserError('config', `it is not TOML: ${error.message.split('\n')[0]} in line ${error.line}`);
  }
}

function tableIn(tables: Tables, parent: string, name: string): unknown {
  const above = tables[parent];
  return typeof above === 'object' && above !== null ? (above as Tables)[name] : undefined;
}

/** The tables but this one; an empty one above it counts as none. */
function without(tables: Tables, parent: string, name: string): Tables {
  const above = tables[parent];
  if (typeof above !== 'object' || above === null) return tables;
  const { [name]: _, ...others } = above as Tables;
  const { [parent]: __, ...rest } = tables;
  return Object.keys(others).length === 0 ? rest : { ...rest, [parent]: others };
}
