import { sha256 } from '../../core/hash.js';
import type { StagedTranscript } from '../staging/read-staged.js';
import type { KnownSession } from './forks.js';
import { TRANSCRIBER_VERSION } from './transcribe.js';

/** How a staged transcript was made; stored with it. It is up to date while `rows` and `fork` stay the same. */
export interface Fingerprint {
  rows: string;
  /** `forkSignature`; `-` if the session is not a fork. */
  fork: string;
  messages: number;
  /** Number of parts that were too large to load. */
  oversized: number;
  /** Number of messages left out at a fork's start. */
  covered: number;
  unrecognised: number;
}

/**
 * Hash of everything that shapes a session's transcript, except forks; does not read messages.
 *
 * @param version as of `madeBy`
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
  const { rows, fork, messages, oversized, covered, unrecognised } = made;
  const most = `${rows} ${fork} messages=${messages} oversized=${oversized} covered=${covered}`;
  return unrecognised > 0 ? `${most} untold=${unrecognised}` : most;
}

export function readFingerprint(text: string): Fingerprint | undefined {
  const match =
    /^([0-9a-f]{64}) ([0-9a-f]{64}|-) messages=(\d+) oversized=(\d+) covered=(\d+)(?: untold=(\d+))?$/.exec(
      text,
    );
  if (match === null) return undefined;
  const [, rows = '', fork = '', ...numbers] = match;
  const [messages = 0, oversized = 0, covered = 0, unrecognised = 0] = numbers.map((text) =>
    Number(text ?? 0),
  );
  return { rows, fork, messages, oversized, covered, unrecognised };
}

/** What an earlier run staged of a session. `standsIn`: keys of the sources that contain the left-out messages. */
export type Staged = Fingerprint & { standsIn: string[]; wing: string };

export function stagedSession(
  { fingerprint, standsIn = [] }: StagedTranscript,
  wing: string,
): Staged | undefined {
  const made = readFingerprint(fingerprint);
  return made && { ...made, standsIn, wing };
}
