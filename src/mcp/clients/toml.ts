import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, TomlError } from 'smol-toml';
import { UserError } from '../../common/errors.js';

type Tables = Record<string, unknown>;

/**
 * A TOML text in which the table `[parent.name]` is another, at its place or at the end. Everything else stays,
 * character by character, and means what it meant: that is checked.
 *
 * @param value undefined takes the table out, with those below it
 * @throws UserError `config` when it is no TOML, or has that table in another form
 */
export function withTable(text: string, parent: string, name: string, value: Tables | undefined): string {
  const before = parsed(text);
  if (isDeepStrictEqual(plainTable(before, parent, name), value)) return text;
  const block = value === undefined ? '' : stringify({ [parent]: { [name]: value } });
  const own = value === undefined ? '' : block.slice(block.indexOf(`[${parent}.`));
  const after = replaced(text, parent, name, own);
  if (isDeepStrictEqual(without(parsed(after), parent, name), without(before, parent, name))) {
    if (isDeepStrictEqual(plainTable(parsed(after), parent, name), value)) return after;
  }
  throw new UserError('config', `it has ${parent}.${name} in a form that cannot be changed safely`, {
    hint: 'change it by hand: mempalace mcp print shows what belongs there',
  });
}

/** The lines of the table and of those below it are replaced by a block; without such lines it comes at the end. */
function replaced(text: string, parent: string, name: string, block: string): string {
  const lines = text.split(/(?<=\n)/);
  const word = (key: string) => `(?:${key}|"${key}"|'${key}')`;
  const own = new RegExp(
    String.raw`^\s*\[\s*${word(parent)}\s*\.\s*${word(name)}\s*(?:\.[^\]]*)?\]\s*(?:#.*)?\s*$`,
  );
  const kept: string[] = [];
  let inside = false;
  let placed = false;
  for (const line of lines) {
    if (/^\s*\[/.test(line)) inside = own.test(line);
    if (!inside) kept.push(line);
    else if (!placed) {
      placed = true;
      if (block !== '') kept.push(block);
    }
    // What stands behind an empty line and is a comment belongs to what follows.
    if (inside && block !== '' && line.trim() === '' && kept.at(-1)?.trim() !== '') kept.push(line);
  }
  if (placed || block === '') return kept.join('');
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return body === '' ? block : `${body}\n${block}`;
}

function parsed(text: string): Tables {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UserError('config', `it is no TOML: ${error.message.split('\n')[0]} in line ${error.line}`);
  }
}

function plainTable(tables: Tables, parent: string, name: string): unknown {
  const above = tables[parent];
  const found = typeof above === 'object' && above !== null ? (above as Tables)[name] : undefined;
  return found === undefined ? undefined : structuredClone(found);
}

function without(tables: Tables, parent: string, name: string): Tables {
  const above = tables[parent];
  if (typeof above !== 'object' || above === null) return tables;
  const { [name]: _, ...others } = above as Tables;
  const { [parent]: __, ...rest } = tables;
  return Object.keys(others).length === 0 ? rest : { ...rest, [parent]: others };
}
