import { open } from 'node:fs/promises';
import { parseJson } from '../../core/json.js';
import { readLines } from '../../platform/jsonl.js';
import type { FileHead, OriginFile } from './harness.js';

const HEAD_BYTES = 1024 * 1024;
const HEAD_RECORDS = 50;
const TEXT_BYTES = 64 * 1024;

/** Reads the beginning of a file. @throws the file system's error when it cannot be read */
export async function readHead(file: OriginFile): Promise<FileHead> {
  const isOther = !file.path.endsWith('.jsonl');
  const beginning = isOther ? await beginningOf(file.path) : '';
  // A single line of megabytes is a whole document, too large to be parsed here.
  const isDocument = file.size > HEAD_BYTES && beginning !== '' && !beginning.includes('\n');
  const records = isDocument ? [] : await recordsOf(file.path);
  if (records.length > 0) return { ...file, records, text: '', beginning };
  return { ...file, records, text: isOther ? beginning : await beginningOf(file.path), beginning };
}

async function recordsOf(path: string): Promise<unknown[]> {
  const records: unknown[] = [];
  let chars = 0;
  for await (const { text } of readLines(path)) {
    // The first line is read whatever its length: it may contain an image.
    if (chars > HEAD_BYTES) break;
    chars += text?.length ?? HEAD_BYTES;
    const record = text === undefined ? undefined : parseJson(text);
    if (typeof record === 'object' && record !== null) records.push(record);
    if (records.length === HEAD_RECORDS) break;
  }
  return records;
}

async function beginningOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TEXT_BYTES), 0, TEXT_BYTES, 0);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}
