import { z } from 'zod';
import { sha256 } from '../../core/hash.js';
import { stagedTranscripts } from '../staging/read-staged.js';
import type { KnownSession } from './forks.js';
import { TRANSCRIBER_VERSION } from './transcribe.js';

/** What a staged transcript remembers of how it was made. While `rows` and `fork` stay, it is right. */
export interface Fingerprint {
  /** Hash of everything of the session that shapes its transcript (`rowsSignature`). */
  rows: string;
  /** Hash of what a fork's decision depends on (`forkSignature`); `-` for other sessions. */
  fork: string;
  /** As counted for `--min-messages`. */
  messages: number;
  /** Parts that were too large to be loaded. */
  oversized: number;
  /** Messages at a fork's start that were left out. */
  covered: number;
  /** Messages that say something in a form that is not known. */
  untold: number;
}

/**
 * Hash of everything that shapes a session's transcript, other forks apart; it costs no reading of messages.
 *
 * @param version of what makes transcripts (`madeBy`)
 */
export function rowsSignature(
  { row, change }: KnownSession,
  parentTitle: string | undefined,
  version: string,
): string {
  return sha256(
    JSON.stringify([
      version,
      [change.changedMs, change.messages, change.parts, change.bytes, change.stamp],
      [row.title, row.slug, row.directory, row.version, row.revert, row.time_created],
      parentTitle ?? null,
    ]),
  );
}

export function madeBy(sanitiserVersion: number): string {
  return `transcriber ${TRANSCRIBER_VERSION}, sanitiser ${sanitiserVersion}`;
}

export function writeFingerprint(made: Fingerprint): string {
  const { rows, fork, messages, oversized, covered, untold } = made;
  const most = `${rows} ${fork} messages=${messages} oversized=${oversized} covered=${covered}`;
  return untold > 0 ? `${most} untold=${untold}` : most;
}

/** Undefined for what this version did not write. */
export function readFingerprint(text: string): Fingerprint | undefined {
  const match =
    /^([0-9a-f]{64}) ([0-9a-f]{64}|-) messages=(\d+) oversized=(\d+) covered=(\d+)(?: untold=(\d+))?$/.exec(
      text,
    );
  if (match === null) return undefined;
  const [, rows = '', fork = '', ...numbers] = match;
  const [messages = 0, oversized = 0, covered = 0, untold = 0] = numbers.map((number) => Number(number ?? 0));
  return { rows, fork, messages, oversized, covered, untold };
}

const stagedSource = z.object({
  sourceKey: z.string(),
  fingerprint: z.string(),
  standsIn: z.array(z.string()).optional(),
});

/** What earlier runs left of a session. */
export interface Staged {
  fingerprint: Fingerprint;
  /** Source keys that hold what the transcript leaves out. */
  standsIn: string[];
  wing: string;
}

/** What is staged of sessions, by source key; read without touching anything. */
export function readStaged(cache: string): Map<string, Staged[]> {
  const staged = new Map<string, Staged[]>();
  for (const { wing, source } of stagedTranscripts(cache, stagedSource)) {
    const fingerprint = readFingerprint(source.fingerprint);
    if (fingerprint === undefined) continue;
    const record = { fingerprint, standsIn: source.standsIn ?? [], wing };
    staged.set(source.sourceKey, [...(staged.get(source.sourceKey) ?? []), record]);
  }
  return staged;
}
