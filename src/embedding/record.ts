import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isErrno, messageOf, UserError } from '../core/errors.js';

/** In the folder of a pulled model; written last, so a folder with it is complete. */
export const RECORD_FILE = 'pulled.json';

const recordSchema = z.object({
  id: z.string(),
  revision: z.string(),
  /** ISO 8601. */
  pulled: z.string(),
  /** URL of the hub, or a folder. */
  from: z.string(),
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
});

/** The files of a model's first pull, which must not change. */
export type PullRecord = z.infer<typeof recordSchema>;

/** Undefined for a folder without a pulled model. @throws UserError `unreadable` when the record is */
export async function readPullRecord(folder: string): Promise<PullRecord | undefined> {
  const path = join(folder, RECORD_FILE);
  try {
    return recordSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    const message = `the record of a pulled model cannot be read: ${path}: ${messageOf(error)}`;
    const hint = `remove ${folder} and pull the model again`;
    throw new UserError('unreadable', message, { hint, cause: error });
  }
}
