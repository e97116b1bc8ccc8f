import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './palace.js';

/** Writes files into a folder, by name, and returns it: a text as it is, a list as lines of JSON. */
export function filesIn(
  files: Readonly<Record<string, string | readonly unknown[]>>,
  folder = temporaryFolder(),
): string {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    const lines =
      typeof content === 'string' ? [content] : content.map((each) => `${JSON.stringify(each)}\n`);
    writeFileSync(path, lines.join(''));
  }
  return folder;
}
