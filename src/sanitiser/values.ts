import { isMarked } from '../core/marked-path.js';
import { isSecretValue, kindOfKey } from './assignments.js';
import { addCounts, markerFor } from './findings.js';
import { isNamedKey } from './key-names.js';
import type { Sanitised } from './sanitiser.js';
import { looksGenerated } from './secret-heuristics.js';

/** A value of the source, and the object or array that receives its cleaned form. */
interface Place {
  source: unknown;
  /** The nearest key; items of an array have the array's key. */
  key: string;
  into: object;
  name: string | number;
}

/**
 * Cleans every string of a JSON value, including property names. With `learn`, secrets under a key such as `password`
 * are replaced as a whole and passed to it. Everything else is unchanged. Not recursive, so deep nesting is safe.
 */
export async function cleanStructure(
  value: unknown,
  clean: (text: string) => Promise<Sanitised>,
  learn?: (value: string, kind: string) => void,
): Promise<{ value: unknown; redacted: Record<string, number> }> {
  const redacted: Record<string, number> = {};
  const cleanText = async (text: string): Promise<string> => {
    const cleaned = await clean(text);
    addCounts(redacted, cleaned.redacted);
    return cleaned.text;
  };
  const result = { value: undefined };
  const places: Place[] = [{ source: value, key: '', into: result, name: 'value' }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { source, key, into, name } = place;
    let cleaned = source;
    if (typeof source === 'string') {
      const header = /(?:^|[-_])(?:authorization|cookie)s?$/i.test(key) ? `${key}: ` : '';
      const text = (await cleanText(header + source)).slice(header.length);
      const kind = learn === undefined || isMarked(text) ? null : kindOfSecret(key, text);
      if (kind !== null) {
        addCounts(redacted, { [kind]: 1 });
        learn?.(text, kind);
      }
      cleaned = kind === null ? text : markerFor(kind);
    } else if (Array.isArray(source)) {
      const items: unknown[] = new Array(source.length).fill(null);
      for (const [index, item] of source.entries()) {
        // A pair, or an option and its value: `["x-api-key", "…"]`, `["--password", "…"]`.
        const before: unknown = source[index - 1];
        const pair = typeof before === 'string' && isSecretName(before) ? before : key;
        places.push({ source: item, key: pair, into: items, name: index });
      }
      cleaned = items;
    } else if (typeof source === 'object' && source !== null) {
      const entries: [string, unknown][] = Object.entries(source);
      const named = adjacentName(entries);
      const copy = {};
      for (const [oldName, item] of entries) {
        let newName = await cleanText(oldName);
        while (newName !== oldName && Object.hasOwn(copy, newName)) newName += '_';
        define(copy, newName, null);
        const name = oldName === 'value' ? named : oldName;
        // `{"cookies": [{"name": "session", "value": "…"}]}`, `{"cookies": {"session": "…"}}`
        const inCookies = COOKIE.test(key) && !isSecretName(name);
        places.push({ source: item, key: inCookies ? key : name, into: copy, name: newName });
      }
      cleaned = copy;
    }
    define(into, name, cleaned);
  }
  return { value: result.value, redacted };
}

/** Not an assignment: a property called `__proto__` is data here. */
function define(into: object, name: string | number, value: unknown): void {
  Object.defineProperty(into, name, { value, configurable: true, enumerable: true, writable: true });
}

const COOKIE = /cookies?$/i;
const isSecretName = (key: string): boolean => kindOfKey(key) !== null || COOKIE.test(key);

/** The kind of secret under this key, or null. */
function kindOfSecret(key: string, value: string): string | null {
  const kind = kindOfKey(key) ?? kindOfKey(key.replace(/(?<!s)s$/, ''));
  if (kind !== null && isSecretValue(kind, value, key === key.toUpperCase() ? 'env' : 'quoted')) return kind;
  if (COOKIE.test(key) && looksGenerated(value)) return 'cookie';
  return isNamedKey(key, value) ? 'api-key' : null;
}

/** In `{"name": "DB_PASSWORD", "value": "…"}` (Kubernetes, CI settings) the key is the name's value. */
function adjacentName(entries: readonly [string, unknown][]): string {
  const name = entries.find(([key]) => key === 'name' || key === 'key')?.[1];
  return typeof name === 'string' ? name : 'value';
}
