import { open } from 'node:fs/promises';
import { readLines } from '../../common/jsonl.js';
import type { FileHead, OriginFile } from './harness.js';

const HEAD_BYTES = 1024 * 1024;
const HEAD_RECORDS = 50;
const TEXT_BYTES = 64 * 1024;

/** Reads the beginning of a file. @throws the file system's error when it cannot be read */
export async function readHead(file: OriginFile): Promise<FileHead> {
  const records: unknown[] = [];
  let chars = 0;
  for await (const { text } of readLines(file.path)) {
    // The first line counts whatever its length: it may hold an image.
    if (chars > HEAD_BYTES) break;
    chars += text?.length ?? HEAD_BYTES;
    const record = text === undefined ? undefined : parsed(text);
    if (typeof record === 'object' && record !== null) records.push(record);
    if (records.length === HEAD_RECORDS) break;
  }
  return { ...file, records, text: records.length === 0 ? await beginningOf(file.path) : '' };
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

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
