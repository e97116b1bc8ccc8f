import { type Document, isMap, isPair, isScalar, LineCounter } from 'yaml';
import { UserError } from '../core/errors.js';
import { readYaml } from '../platform/yaml.js';
import { keysAt, parseSettings } from './schema.js';
import type { Layer, SettingKey } from './settings.js';
import { suggest } from './suggest.js';

const HINT = 'mempalace config schema prints what the file may contain';

/**
 * The settings of a configuration file, each with its line.
 *
 * @param path named in errors and origins
 * @throws UserError `config` with path, line, column and the reason
 */
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

/** Where the value lies that an issue is about, or the nearest thing around it. */
function valueOffset(document: Document, path: readonly (string | number)[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isScalar(node) || isMap(node)) return node.range?.[0] ?? 0;
    if (node !== undefined && node !== null) return keyOffset(document, path.slice(0, depth));
  }
  return document.contents?.range?.[0] ?? 0;
}

/** Where the key of a path stands. */
function keyOffset(document: Document, path: readonly (string | number)[]): number {
  const above = document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  const pair = isMap(above)
    ? above.items.find((item) => isPair(item) && String(item.key) === last)
    : undefined;
  if (pair !== undefined && isScalar(pair.key)) return pair.key.range?.[0] ?? 0;
  return path.length > 1 ? keyOffset(document, path.slice(0, -1)) : 0;
}

function settingKeys(values: Layer['values']): SettingKey[] {
  const isKey = (key: string): key is SettingKey => Object.hasOwn(values, key);
  return Object.keys(values).filter(isKey);
}
