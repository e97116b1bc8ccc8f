import { type Document, isMap, isNode, LineCounter } from 'yaml';
import { UserError } from '../core/errors.js';
import { suggest } from '../core/suggest.js';
import { readYaml } from '../platform/yaml.js';
import { keysAt, parseSettings } from './schema.js';
import type { Layer } from './settings.js';
import type { SettingKey } from './table.js';

const HINT = 'mempalace config schema prints what the file may contain';

/** The settings of a configuration file, each with its line. @throws UserError `config` with path, line and column */
export function parseConfigFile(text: string, path: string, home: string): Layer {
  const lines = new LineCounter();
  const fail = (offset: number, reason: string, hint = HINT) => {
    const { line, col } = lines.linePos(offset);
    return new UserError('config', `${path}:${line || 1}:${col || 1}: ${reason}`, { hint });
  };
  const { document, value } = readYaml(text, { lines, fail, uniqueKeys: true });
  const parsed = parseSettings(value ?? {}, home);
  if ('values' in parsed) {
    const origins: Layer['origins'] = {};
    for (const key of settingKeys(parsed.values)) {
      const { line } = lines.linePos(keyOffset(document, key.split('.')));
      origins[key] = `${path}:${line}`;
    }
    return { values: parsed.values, origins };
  }
  const where = parsed.path.join('.');
  const reason = `${where === '' ? '' : `${where}: `}${parsed.reason}`;
  if (parsed.unknown === undefined) throw fail(valueOffset(document, parsed.path), reason);
  const known = keysAt(parsed.path);
  const similar = suggest(parsed.unknown, known);
  const hint = similar === undefined ? `allowed here: ${known.join(', ')}` : `did you mean ${similar}?`;
  throw fail(keyOffset(document, [...parsed.path, parsed.unknown]), reason, hint);
}

/** The offset of the value at a path, or of the nearest one around it. */
function valueOffset(document: Document, path: readonly (string | number)[]): number {
  const node = document.getIn(path, true);
  if (isNode(node)) return node.range?.[0] ?? 0;
  return path.length > 0 ? valueOffset(document, path.slice(0, -1)) : 0;
}

/** The offset of the last key of a path. */
function keyOffset(document: Document, path: readonly (string | number)[]): number {
  const around = path.slice(0, -1);
  const map = document.getIn(around, true);
  const key = isMap(map) ? map.items.find((pair) => String(pair.key) === path.at(-1))?.key : undefined;
  return isNode(key) ? (key.range?.[0] ?? 0) : valueOffset(document, around);
}

function settingKeys(values: Layer['values']): SettingKey[] {
  const isKey = (key: string): key is SettingKey => Object.hasOwn(values, key);
  return Object.keys(values).filter(isKey);
}
