import { closeSync, readSync, statSync } from 'node:fs';
import { parseJson, withoutPadding } from '../../core/json.js';
import { readLines } from '../../platform/jsonl.js';
import { openRegular } from '../../platform/regular-file.js';
import { recordsIn } from './damaged-lines.js';
import type { FileHead } from './harness.js';

const HEAD_BYTES = 1024 * 1024;
const HEAD_RECORDS = 50;
const LOG = /\.jsonl(?:\.zst)?$/;
const TEXT_BYTES = 64 * 1024;
/** Limit for one conversation: its text and everything parsed from it are in memory at once. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Reads the beginning of a file. @throws the file system's error when it cannot be read */
export async function readHead(path: string): Promise<FileHead> {
  const { size } = statSync(path);
  const isLog = path.endsWith('.jsonl');
  const beginning = isLog ? '' : await readText(path, 0, TEXT_BYTES);
  // A single line of megabytes is a whole document, too large to be parsed here.
  const isDocument = size > HEAD_BYTES && beginning !== '' && !beginning.includes('\n');
  const records = isDocument ? [] : await recordsOf(path, LOG.test(path));
  const isDamaged = isLog && records.length === 0;
  return { path, size, records, beginning: isDamaged ? await readText(path, 0, TEXT_BYTES) : beginning };
}

async function recordsOf(path: string, isLog: boolean): Promise<unknown[]> {
  const records: unknown[] = [];
  let chars = 0;
  for await (const { text } of readLines(path)) {
    // The first line is read whatever its length: it may contain an image.
    if (chars > HEAD_BYTES) break;
    chars += text?.length ?? HEAD_BYTES;
    const found = text === undefined ? [] : isLog ? recordsIn(text) : [parseJson(text)];
    records.push(...found.filter((record) => typeof record === 'object' && record !== null));
    if (records.length >= HEAD_RECORDS) break;
  }
  return records;
}

/** The text of a byte range, without byte order mark and NUL bytes around it. @throws Error when too large or unreadable */
export async function readText(path: string, start: number, end: number, most = MOST_BYTES): Promise<string> {
  if (end - start > most) throw new Error(`larger than ${most / 1024 ** 2} MB`);
  const { file } = openRegular(path);
  try {
    const bytes = Buffer.alloc(end - start);
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, start));
    return withoutPadding(text).replace(/^\uFEFF/, '');
  } finally {
    closeSync(file);
  }
}
