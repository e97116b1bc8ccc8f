import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HARNESSES } from './harnesses/index.js';
import { readHead } from './head.js';

/** Names of a folder that are read. */
const MOST_NAMES = 2_000;
/** Of each kind; the others are taken to be like them. */
const MOST_HEADS = 20;
/** What only a project has at its root. */
const OF_A_PROJECT = ['.git', 'mempalace.yaml', 'mempalace.yml', 'package.json'];

/** What programs store beside their transcripts. */
const BESIDE = /(?:^|\/)(?:tool-results|checkpoints|memory|rewind-file-snapshots)\//;
const RECORDS = /\.(?:jsonl|jsonl\.zst|json|zip)$/;
const DOCUMENTS = /\.(?:md|mdx|markdown|txt|rst|adoc|org|html?)$/i;

/** Whether a folder looks like one of transcripts: it contains some, and as many of them as of documents. */
export async function holdsTranscripts(folder: string): Promise<boolean> {
  if (OF_A_PROJECT.some((name) => existsSync(join(folder, name)))) return false;
  // An export has pictures, pages and lists beside it.
  if (await isTranscript(join(folder, 'conversations.json'))) return true;
  const names = (await namesIn(folder)).filter((name) => !BESIDE.test(name));
  const documents = names.filter((name) => DOCUMENTS.test(name));
  const records = names.filter((name) => RECORDS.test(name));
  const inDocuments = await transcriptsAmong(folder, documents);
  const transcripts = inDocuments + (await transcriptsAmong(folder, records));
  return transcripts > 0 && transcripts >= documents.length - inDocuments;
}

async function namesIn(folder: string): Promise<string[]> {
  const { default: glob } = await import('fast-glob');
  const options = { cwd: folder, dot: true, followSymbolicLinks: false, suppressErrors: true };
  const names: string[] = [];
  for await (const name of glob.stream('**/*', options)) {
    names.push(String(name));
    if (names.length === MOST_NAMES) break;
  }
  return names;
}

/** How many of the files are transcripts, judged by some of them. */
async function transcriptsAmong(folder: string, names: readonly string[]): Promise<number> {
  const looked = names.slice(0, MOST_HEADS);
  const recognised = await Promise.all(looked.map((name) => isTranscript(join(folder, name))));
  const share = recognised.filter(Boolean).length / Math.max(looked.length, 1);
  return share * names.length;
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
