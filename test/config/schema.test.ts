import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfigFile } from '../../src/config/file.js';
import { jsonSchema, keysAt } from '../../src/config/schema.js';
import { defaultSettings, resolveConfig } from '../../src/config/settings.js';
import { asFile } from '../../src/config/show.js';
import { isScalar, variableOf } from '../../src/config/texts.js';

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

describe('docs/config.schema.json', () => {
  it('is the output of `mempalace config schema` (to update it, run that command, then biome format)', () => {
    expect(JSON.parse(read('config.schema.json'))).toEqual(jsonSchema());
  });
});

describe('keysAt', () => {
  it('returns the keys that each mapping can have', () => {
    expect(keysAt([])).toEqual('palace model search wake_up privacy timezone uses broker summary'.split(' '));
    expect(keysAt(['search', 'weights'])).toEqual(['relevance', 'recency', 'importance']);
    expect(keysAt(['privacy', 'rules', 3])).toEqual(['kind', 'pattern']);
    expect(keysAt(['search', 'limit'])).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  const text = read('configuration.md');
  const none = { values: {}, origins: {} };
  const defaults = defaultSettings({ home: '~' });

  it('names every setting with its default and its variable', () => {
    const shown = asFile(resolveConfig(defaults, none, none, none));
    const rows = new Map(
      [...text.matchAll(/^\| `([\w.]+)` \| `([^`]+)` \| .* \| (?:`(\w+)` )?\|$/gm)].map((row) => [
        row[1],
        row,
      ]),
    );
    for (const key of Object.keys(defaults)) {
      const value = key.split('.').reduce<unknown>((at, name) => Object(at)[name], shown);
      const [, , written, variable] = rows.get(key) ?? [];
      expect(written, key).toBe(typeof value === 'object' ? JSON.stringify(value) : String(value));
      expect(variable, key).toBe(isScalar(key) ? variableOf(key) : undefined);
    }
    expect(rows.size).toBe(Object.keys(defaults).length);
  });

  it('shows a valid file', () => {
    const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
    const { values } = parseConfigFile(example, 'example', '/home/you');
    expect(values).toMatchObject({ palace: '/home/you/memory/palace', 'search.half_life': 14 });
  });
});
