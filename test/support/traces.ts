import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestEnv } from './test-env.js';

/** Files below the palace and the cache that hold one of these, whatever they are. */
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
