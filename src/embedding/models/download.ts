import { renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isErrno, isSystemError, UserError } from '../../core/errors.js';
import { PassingError, reasonOf } from '../../platform/http.js';
import { makeFolder } from '../../platform/make-folder.js';
import { hashFile } from '../files.js';
import type { Hub, HubAnswer } from './hub.js';

/** Failures in sequence, without a byte between them, after which a download gives up. */
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;

export interface DownloadOptions {
  hub: Hub;
  /** Path of the file below the repository's revision. */
  name: string;
  /** Its path here, absolute. An incomplete file is `<target>.part`. */
  target: string;
  /** 64 hexadecimal digits, if known from the first pull. */
  sha256: string | undefined;
  signal: AbortSignal | undefined;
  /** Before the second try, in milliseconds; doubled before each further one. */
  pauseMs: number | undefined;
  /** Bytes on the disk so far. */
  onProgress: (bytes: number) => void;
}

/**
 * Downloads one file. A part from an earlier run is kept and continued. The file gets its name only when it is complete
 * and has the known hash, or else the hash that the hub states.
 *
 * @returns size in bytes, and SHA-256
 * @throws UserError with the file and the cure; the part stays if it can be continued
 */
export async function download(options: DownloadOptions): Promise<{ bytes: number; sha256: string }> {
  const { name, target } = options;
  const part = `${target}.part`;
  makeFolder(dirname(target));
  for (let resumed = sizeOf(part) > 0; ; resumed = false) {
    const { hash: stated } = await completePart(options, part);
    const found = { bytes: sizeOf(part), sha256: await hashFile(part) };
    const expected = options.sha256 ?? stated ?? found.sha256;
    const isGit = expected.length === 40;
    const own = isGit ? await hashFile(part, 'sha1', `blob ${found.bytes}\0`) : found.sha256;
    if (own === expected) {
      renameSync(part, target);
      return found;
    }
    rmSync(part);
    // The existing part was not the beginning of this file.
    if (resumed) continue;
    const [source, hint] =
      options.sha256 === undefined
        ? [
            'the hub states',
            'run the command again; if it happens again, the server or a proxy changes the file',
          ]
        : [
            'the first pull found',
            `nothing was replaced; to trust the server's file, remove ${dirname(target)} and pull again`,
          ];
    throw new UserError('failed', `${name}: the download is not what ${source} (sha256 differs)`, { hint });
  }
}

/** Downloads the missing bytes of the part, with several connections if necessary. */
async function completePart(options: DownloadOptions, part: string): Promise<HubAnswer> {
  const { hub, name, signal, onProgress, pauseMs = FIRST_PAUSE_MS } = options;
  for (let failures = 0; ; ) {
    signal?.throwIfAborted();
    const before = sizeOf(part);
    let problem: PassingError;
    try {
      const answer = await hub.get(name, before, signal);
      if (answer.start !== before) truncateSync(part, answer.start);
      if (answer.body !== undefined) await append(part, answer.start, answer.body, onProgress);
      const size = sizeOf(part);
      if (answer.total === undefined || size === answer.total) return answer;
      if (size > answer.total) rmSync(part);
      problem = hub.broken(name, `${size} of ${answer.total} bytes were received`);
    } catch (error) {
      signal?.throwIfAborted();
      if (isErrno(error, 'ENOSPC') || isErrno(error, 'EDQUOT')) {
        throw new UserError('failed', `no room on the disk for ${part}`, {
          hint: 'free space, or set MEMPALACE_MODELS to a folder on another disk; then run the command again',
          cause: error,
        });
      }
      const isLocal = isSystemError(error) && error instanceof Error && 'path' in error;
      if (isLocal || (error instanceof UserError && !(error instanceof PassingError))) throw error;
      problem = error instanceof PassingError ? error : hub.broken(name, reasonOf(error));
    }
    failures = sizeOf(part) > before ? 0 : failures + 1;
    if (failures === ATTEMPTS) throw problem;
    await sleep(pauseMs * 2 ** Math.max(0, failures - 1), undefined, { signal });
  }
}

async function append(
  part: string,
  start: number,
  body: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const file = await open(part, start === 0 ? 'w' : 'a', 0o600);
  try {
    let bytes = start;
    for await (const chunk of body) {
      await file.writeFile(chunk);
      bytes += chunk.length;
      onBytes(bytes);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
