import { createHash } from 'node:crypto';
import { createReadStream, existsSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isErrno, UserError } from '../../core/errors.js';
import { makeFolder } from '../../platform/make-folder.js';
import { type Hub, type HubAnswer, isPassing } from './hub.js';

/** Failures in a row, without a byte gained between them, after which a download gives up. */
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;

export interface DownloadOptions {
  hub: Hub;
  /** Path of the file below the repository's revision. */
  name: string;
  /** Where it shall lie, absolute. While it grows it is `<target>.part`. */
  target: string;
  /** 64 hexadecimal digits, where they are known already. */
  sha256?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Before the second try, in milliseconds; doubled before each further one. */
  pauseMs?: number | undefined;
  /** Bytes on the disk so far, and in all where the server says. */
  onProgress?: ((bytes: number, total: number | undefined) => void) | undefined;
}

/**
 * Fetches one file. What an earlier run fetched of it is kept, and asked for no more; the file has its name
 * only when it is whole and has the hash that is known, or that the hub states.
 *
 * @returns size in bytes, and SHA-256
 * @throws UserError naming the file and the cure; the part stays where going on makes sense
 */
export async function download(options: DownloadOptions): Promise<{ bytes: number; sha256: string }> {
  const { target } = options;
  const part = `${target}.part`;
  makeFolder(dirname(target));
  const resumed = sizeOf(part) > 0;
  let answer = await fetchWhole(options, part);
  let found = await hashPart(part);
  let expected = expectation(options.sha256, answer);
  if (!matches(found, expected) && resumed) {
    // What lay there was not the beginning of this file.
    rmSync(part);
    answer = await fetchWhole(options, part);
    found = await hashPart(part);
    expected = expectation(options.sha256, answer);
  }
  if (!matches(found, expected)) {
    rmSync(part);
    throw new UserError(
      'failed',
      `${options.name}: what was fetched is not what ${expected?.source} (sha256 differs)`,
      {
        hint:
          options.sha256 === undefined
            ? 'run the command again; if it stays so, the server or a proxy changes the file'
            : `nothing was replaced; to trust what the server gives now, remove ${dirname(target)} and pull again`,
      },
    );
  }
  renameSync(part, target);
  return { bytes: found.bytes, sha256: found.sha256 };
}

/** Gets the missing bytes of the part, over as many connections as it takes. */
async function fetchWhole(options: DownloadOptions, part: string): Promise<HubAnswer> {
  const { hub, name, signal, onProgress, pauseMs = FIRST_PAUSE_MS } = options;
  for (let failures = 0; ; ) {
    signal?.throwIfAborted();
    const before = sizeOf(part);
    let problem: UserError;
    try {
      const answer = await hub.get(name, before, signal);
      if (answer.start !== before) truncateSync(part, answer.start);
      if (answer.body !== undefined) {
        await append(part, answer.start, answer.body, (bytes) => onProgress?.(bytes, answer.total));
      }
      if (answer.total === undefined || sizeOf(part) === answer.total) return answer;
      if (sizeOf(part) > answer.total) rmSync(part);
      problem = hub.broken(name, `${sizeOf(part)} of ${answer.total} bytes came`);
    } catch (error) {
      signal?.throwIfAborted();
      if (isErrno(error, 'ENOSPC') || isErrno(error, 'EDQUOT')) throw diskFull(part, error);
      if (error instanceof UserError && !isPassing(error)) throw error;
      if (error instanceof Error && 'syscall' in error && 'path' in error) throw error;
      problem = error instanceof UserError ? error : hub.broken(name, error);
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

interface Found {
  bytes: number;
  sha256: string;
  /** SHA-1 of the file as git stores it. */
  gitSha1: string;
}

interface Expected {
  source: string;
  sha256?: string | undefined;
  gitSha1?: string | undefined;
}

function expectation(sha256: string | undefined, answer: HubAnswer): Expected | undefined {
  if (sha256 !== undefined) return { source: 'the first pull found', sha256 };
  const { sha256: stated, gitSha1 } = answer;
  if (stated === undefined && gitSha1 === undefined) return undefined;
  return { source: 'the hub states', sha256: stated, gitSha1 };
}

function matches(found: Found, expected: Expected | undefined): boolean {
  if (expected?.sha256 !== undefined) return found.sha256 === expected.sha256;
  return expected?.gitSha1 === undefined || found.gitSha1 === expected.gitSha1;
}

async function hashPart(path: string): Promise<Found> {
  const bytes = sizeOf(path);
  const sha256 = createHash('sha256');
  const sha1 = createHash('sha1').update(`blob ${bytes}\0`);
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), async (chunks) => {
    for await (const chunk of chunks) {
      sha256.update(chunk);
      sha1.update(chunk);
    }
  });
  return { bytes, sha256: sha256.digest('hex'), gitSha1: sha1.digest('hex') };
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function diskFull(path: string, cause: unknown): UserError {
  return new UserError('failed', `no room on the disk for ${path}`, {
    hint: 'make room, or set MEMPALACE_MODELS to a folder on another disk; then run the command again',
    cause,
  });
}
