import { latestBelievable } from '../../core/believed-time.js';
import { tokensOf } from './git.js';
import type { FoundDocument } from './survey.js';

type Dated = Pick<FoundDocument, 'relativePath' | 'size' | 'mtimeMs'>;

/**
 * The time of each document's last commit in a git repository, since a clone gives all files the time of the clone. One
 * pass, which ends at the oldest document. The result omits documents without a commit or with one after now, documents that
 * differ from the last commit, and all documents when git cannot read the repository. Differences are found by the times and sizes in
 * git's index: git reads no file, so it runs no filter of the repository. In a shallow clone, files that are older than
 * its history have the date of its beginning.
 *
 * @param root of the project, which may be a folder of the repository
 * @returns epoch milliseconds by relative path
 */
export async function commitDates(
  root: string,
  documents: readonly Dated[],
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const dates = new Map<string, number>();
  const wanted = await unchanged(root, documents, signal);
  if (wanted.size === 0) return dates;
  const latestMs = latestBelievable(Number.POSITIVE_INFINITY);
  let committedMs = 0;
  const log = 'log -z --format=%x01%ct --name-only --relative --no-renames --no-show-signature HEAD -- .';
  await tokensOf(root, log.split(' '), signal, (token) => {
    if (token.startsWith('\u0001')) {
      committedMs = Number(token.slice(1)) * 1000;
    } else {
      const path = token.replace(/^\n/, '').normalize('NFC');
      if (wanted.delete(path) && committedMs <= latestMs) dates.set(path, committedMs);
    }
    return wanted.size > 0;
  });
  return dates;
}

/** Git's output for a file in the index. The name of the next file follows. */
const RECORD = /^ {2}ctime: .*\n {2}mtime: (\d+):(\d+)\n.*\n.*\n {2}size: (\d+)\tflags: .*\n/;
/** Some systems store file times in coarser steps. */
const SAME_MS = 2;

async function unchanged(
  root: string,
  documents: readonly Dated[],
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const byPath = new Map(documents.map((document) => [document.relativePath, document]));
  const same = new Set<string>();
  if (byPath.size === 0) return same;
  let path = '';
  await tokensOf(root, ['ls-files', '-z', '--debug'], signal, (token) => {
    const [record = '', seconds, nanoseconds, size] = RECORD.exec(token) ?? [];
    const document = byPath.get(path);
    if (document !== undefined && size !== undefined) {
      const indexed = Number(seconds) * 1000 + Number(nanoseconds) / 1e6;
      // For files that are as new as the index, git records size 0.
      const fits = Number(size) === document.size || Number(size) === 0;
      if (fits && Math.abs(document.mtimeMs - indexed) < SAME_MS) same.add(path);
    }
    path = token.slice(record.length).normalize('NFC');
    return true;
  });
  if (same.size === 0) return same;
  // Changes in the index that are not committed.
  const cached = 'diff-index -z --cached --name-only --relative --no-renames HEAD';
  const readable = await tokensOf(root, cached.split(' '), signal, (staged) => {
    same.delete(staged.normalize('NFC'));
    return true;
  });
  return readable ? same : new Set();
}
