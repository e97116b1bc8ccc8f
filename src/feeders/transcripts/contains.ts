import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isMarkdown } from '../../core/front-matter.js';
import { filesBelow } from './files-below.js';
import { HARNESSES } from './harnesses/index.js';
import { readHead } from './head.js';

const MOST_NAMES = 2_000;
const MOST_HEADS = 20;
const PROJECT_FILES = ['.git', 'mempalace.yaml', 'mempalace.yml', 'package.json'];

/** Folders with other files that programs store next to their transcripts. */
const NOT_TRANSCRIPTS = /(?:^|\/)(?:tool-results|tool-outputs?|checkpoints|memory|rewind-file-snapshots)\//;
const RECORDS = /\.(?:jsonl|jsonl\.zst|json|zip)$/;
const DOCUMENTS = /\.(?:te?xt|rst|adoc|asciidoc|org|html?)$/i;

/** Whether a folder is probably one of transcripts: it contains some, and at least as many as documents. */
export async function containsTranscripts(folder: string): Promise<boolean> {
  if (PROJECT_FILES.some((name) => existsSync(join(folder, name)))) return false;
  // Next to this file, an export contains pictures, pages and lists.
  if (await isTranscript(join(folder, 'conversations.json'))) return true;
  const names = (await namesIn(folder)).filter((name) => !NOT_TRANSCRIPTS.test(name));
  const documents = names.filter((name) => isMarkdown(name) || DOCUMENTS.test(name));
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
  if (names.length > 0) return names;
  // Maybe links to folders, such as those of projects on another disk.
  const linked = await filesBelow(folder, ['**/*']);
  return linked.slice(0, MOST_NAMES).map((path) => relative(folder, path));
}

async function transcriptsAmong(folder: string, names: readonly string[]): Promise<number> {
  const looked = names.slice(0, MOST_HEADS);
  const recognised = await Promise.all(looked.map((name) => isTranscript(join(folder, name))));
  const share = recognised.filter(Boolean).length / Math.max(looked.length, 1);
  return share * names.length;
}

async function isTranscript(path: string): Promise<boolean> {
  try {
    const head = await readHead(path);
    return HARNESSES.some((harness) => (harness.isCertain ?? harness.recognises)(head));
  } catch {
    return false;
  }
}
