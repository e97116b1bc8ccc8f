import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { palaceFile } from '../../src/store/index.js';
import type { TestEnv } from './test-env.js';

/** Files of any kind below the palace and the cache that contain one of these words. */
export function traces(env: TestEnv, ...needles: string[]): string[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isDirectory()) walk(path);
      else if (stat.isFile()) {
        const bytes = readFileSync(path);
        for (const needle of needles) if (bytes.includes(needle)) found.push(`${name}: ${needle}`);
      }
    }
  };
  walk(join(env.home, '.mempalace'));
  if (existsSync(env.cache)) walk(env.cache);
  return found;
}

/** The same in the compressed texts of the palace, which a search of bytes cannot read: names of sources. */
export function textsWith(env: TestEnv, ...needles: string[]): string[] {
  const raw = new Database(palaceFile(env.palace), { readonly: true });
  try {
    const rows = raw
      .prepare<[], { key: string; body: Buffer }>(
        'SELECT source_key AS key, body FROM source_texts JOIN sources ON id = source_id',
      )
      .all();
    return rows.flatMap(({ key, body }) => {
      const text = inflateRawSync(body).toString('utf8');
      return needles.some((needle) => text.includes(needle)) ? [key] : [];
    });
  } finally {
    raw.close();
  }
}
