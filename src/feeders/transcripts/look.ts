import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HARNESSES } from './harnesses/index.js';
import { readHead } from './head.js';

/** Files of a folder that are looked at. */
const MOST_FILES = 2_000;
const MOST_HEADS = 20;
/** What only a project has at its root. */
const OF_A_PROJECT = ['.git', 'mempalace.yaml', 'mempalace.yml', 'package.json'];

/** What programs keep beside their transcripts. */
const BESIDE = /(?:^|\/)tool-results\/|\.meta\.json$|(?:^|\/)sessions-index\.json$/;

/** Whether a folder looks like one of transcripts: most of its files have their names, and most of those are some. */
export async function holdsTranscripts(folder: string): Promise<boolean> {
  if (OF_A_PROJECT.some((name) => existsSync(join(folder, name)))) return false;
  // An export has pictures, pages and lists beside it.
  if (await isTranscript(join(folder, 'conversations.json'))) return true;
  const { default: glob } = await import('fast-glob');
  const options = { cwd: folder, dot: true, followSymbolicLinks: false, suppressErrors: true };
  let files = 0;
  for await (const name of glob.stream('**/*', options)) {
    if (!BESIDE.test(String(name))) files += 1;
    if (files === MOST_FILES) break;
  }
  const patterns = [...new Set(HARNESSES.flatMap((harness) => harness.patterns))];
  const candidates: string[] = [];
  for await (const name of glob.stream(patterns, { ...options, absolute: true })) {
    candidates.push(String(name));
    if (candidates.length === files) break;
  }
  if (candidates.length === 0 || candidates.length * 2 < files) return false;
  const looked = candidates.slice(0, MOST_HEADS);
  let recognised = 0;
  for (const path of looked) {
    if (await isTranscript(path)) recognised += 1;
  }
  return recognised * 2 >= looked.length;
}

async function isTranscript(path: string): Promise<boolean> {
  try {
    const { mtimeMs, size } = statSync(path);
    const head = await readHead({ path, mtimeMs, size });
    return HARNESSES.some((harness) => (harness.isCertain ?? harness.recognises)(head));
  } catch {
    return false;
  }
}
