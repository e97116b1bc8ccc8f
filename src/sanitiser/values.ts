import { isSecretValue, kindOfKey } from './assignments.js';
import { addCounts, holdsMarker, markerFor } from './findings.js';
import { isNamedKey } from './key-names.js';
import type { Sanitised } from './sanitiser.js';

interface Place {
  source: unknown;
  /** The nearest key; items of an array have the array's key. */
  key: string;
  put: (value: unknown) => void;
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
  let result: unknown;
  const places: Place[] = [
    {
      source: value,
      key: '',
      put: (cleaned) => {
        result = cleaned;
      },
    },
  ];
  const cleanText = async (text: string): Promise<string> => {
    const cleaned = await clean(text);
    addCounts(redacted, cleaned.redacted);
    return cleaned.text;
  };

  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { source, key, put } = place;
    if (typeof source === 'string') {
      const cleaned = await cleanText(source);
      const kind = learn === undefined || holdsMarker(cleaned) ? null : kindOfSecret(key, cleaned);
      if (kind !== null) {
        addCounts(redacted, { [kind]: 1 });
        learn?.(cleaned, kind);
        put(markerFor(kind));
      } else {
        put(cleaned);
      }
    } else if (Array.isArray(source)) {
      const items: unknown[] = new Array(source.length).fill(null);
      put(items);
      source.forEach((item: unknown, index) => {
        places.push({
          source: item,
          key,
          put: (cleaned) => {
            items[index] = cleaned;
          },
        });
      });
    } else if (typeof source === 'object' && source !== null) {
      const entries: [string, unknown][] = Object.entries(source);
      const copy: Record<string, unknown> = {};
      put(copy);
      const named = nameBeside(entries);
      for (const [name, item] of entries) {
        let newName = await cleanText(name);
        while (newName !== name && Object.hasOwn(copy, newName)) newName += '_';
        // Defined rather than assigned: a property called `__proto__` is data here.
        const define = (cleaned: unknown) =>
          Object.defineProperty(copy, newName, {
            value: cleaned,
            configurable: true,
            enumerable: true,
            writable: true,
          });
        define(null);
        places.push({ source: item, key: name === 'value' ? named : name, put: define });
      }
    } else {
      put(source);
    }
  }
  return { value: result, redacted };
}

/** The kind of secret under this key, or null. */
function kindOfSecret(key: string, value: string): string | null {
  const kind = kindOfKey(key);
  if (kind !== null && isSecretValue(kind, value, formOfKey(key))) return kind;
  return isNamedKey(key, value) ? 'api-key' : null;
}

/** In `{"name": "DB_PASSWORD", "value": "…"}` (Kubernetes, CI settings) the key is the name's value. */
function nameBeside(entries: readonly [string, unknown][]): string {
  const name = entries.find(([key]) => key === 'name' || key === 'key')?.[1];
  return typeof name === 'string' ? name : 'value';
}

function formOfKey(key: string): 'env' | 'quoted' {
  return key === key.toUpperCase() ? 'env' : 'quoted';
}
