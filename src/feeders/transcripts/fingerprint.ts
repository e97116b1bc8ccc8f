import { join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../core/hash.js';
import { parseJson } from '../../core/json.js';
import { readStaged, type StagedTranscript } from '../staging/read-staged.js';

export { TRANSCRIPTS_ROOT as STAGING_ROOT } from '../staging/read-staged.js';

/** How a staged transcript was made; stored with it. */
const fingerprint = z.object({
  files: z.array(
    z.object({
      /** `fileId` of its path. */
      id: z.string(),
      /** Sanitised. */
      path: z.string(),
      mtimeMs: z.number(),
      size: z.number(),
      holds: z.number(),
      /** Byte range of this conversation, if it is one of several. */
      range: z.object({ start: z.number(), end: z.number() }).optional(),
      /** Time of the conversation's last change, if it differs from the file's. */
      changedMs: z.number().optional(),
    }),
  ),
  /** Other files of the session, which these contain. */
  copies: z.array(z.object({ id: z.string(), mtimeMs: z.number(), size: z.number() })).optional(),
  /** Hash of everything that shapes the transcripts of the session: its files, options, versions. */
  session: z.string(),
  harness: z.string(),
  /** The prefix of its key, if it differs from `harness`. */
  keyHarness: z.string().optional(),
  sessionId: z.string().optional(),
  agentId: z.string().optional(),
  begun: z.string().optional(),
  copiedFrom: z.array(z.string()).optional(),
  /** As counted for `--min-messages`. */
  messages: z.number(),
  /** Number of turns at the beginning that are left out because other sources contain them. */
  covered: z.number(),
});
export type Fingerprint = z.infer<typeof fingerprint>;

/** Identifies an origin file. Not the path itself, which may contain a secret. */
export function fileId(path: string): string {
  return sha256(path).slice(0, 24);
}

const PREFIX = 'transcript ';

export function writeFingerprint(made: Fingerprint): string {
  return PREFIX + JSON.stringify(fingerprint.parse(made));
}

/** Undefined if another feeder or version wrote it. */
function readFingerprint(text: string): Fingerprint | undefined {
  const json = text.startsWith(PREFIX) ? parseJson(text.slice(PREFIX.length)) : undefined;
  return fingerprint.safeParse(json).data;
}

/** What an earlier run staged of a conversation. */
export type StagedBefore = NonNullable<ReturnType<typeof stagedBefore>>;

/** `file` is the absolute path of the staged file. */
export function stagedBefore(source: StagedTranscript, wing: string, folder: string) {
  const {
    sourceKey,
    path,
    hash,
    mtimeMs,
    fingerprint,
    title,
    directory,
    standsIn = [],
    copyKeys = [],
  } = source;
  const made = readFingerprint(fingerprint);
  const facts = { sourceKey, hash, mtimeMs, title, directory, standsIn, copyKeys };
  return made && { ...facts, file: join(folder, path), wing, made };
}

/** The original files of each staged transcript, by source key. */
export function filesOfStaged(cache: string): Map<string, string[]> {
  const paths = (records: StagedBefore[]) => records[0]?.made.files.map(({ path }) => path) ?? [];
  return new Map([...readStaged(cache, stagedBefore)].map(([key, records]) => [key, paths(records)]));
}
