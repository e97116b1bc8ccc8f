import { join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../core/hash.js';
import { stagedTranscripts } from '../staging/read-staged.js';
import { parseJson } from './records.js';

/** Beside opencode's sessions. */
export { TRANSCRIPTS_ROOT as STAGING_ROOT } from '../staging/read-staged.js';

/** What a staged transcript remembers of how it was made. */
const fingerprint = z.object({
  files: z.array(
    z.object({
      /** Hash of its path, by which it is known again. */
      id: z.string(),
      /** Its path as it may be kept. */
      path: z.string(),
      mtimeMs: z.number(),
      size: z.number(),
      /** How many conversations the file holds. */
      holds: z.number(),
      /** Where in it this one lies, when it is one of several. */
      range: z.object({ start: z.number(), end: z.number() }).optional(),
      /** When this one was changed, where that is not when the file was. */
      changedMs: z.number().optional(),
    }),
  ),
  /** Hash of everything that shapes the transcripts of the session: its files, options, versions. */
  session: z.string(),
  harness: z.string(),
  /** The prefix of its key, where that is another name. */
  keyHarness: z.string().optional(),
  sessionId: z.string().optional(),
  agentId: z.string().optional(),
  begun: z.string().optional(),
  copiedFrom: z.array(z.string()).optional(),
  /** As counted for the minimum. */
  messages: z.number(),
  /** Turns at the beginning that were left out, since others hold them. */
  covered: z.number(),
});
export type Fingerprint = z.infer<typeof fingerprint>;

/** What stands for an origin file: its path may hold a secret. */
export function fileId(path: string): string {
  return sha256(path).slice(0, 24);
}

const PREFIX = 'transcript ';

export function writeFingerprint(made: Fingerprint): string {
  return PREFIX + JSON.stringify(fingerprint.parse(made));
}

/** Undefined for what another feeder or version wrote. */
function readFingerprint(text: string): Fingerprint | undefined {
  const json = text.startsWith(PREFIX) ? parseJson(text.slice(PREFIX.length)) : undefined;
  return fingerprint.safeParse(json).data;
}

const staged = z.object({
  sourceKey: z.string(),
  path: z.string(),
  hash: z.string(),
  fingerprint: z.string(),
  title: z.string().optional(),
  directory: z.string().optional(),
  standsIn: z.array(z.string()).optional(),
  copyKeys: z.array(z.string()).optional(),
});

/** What earlier runs left of a conversation. */
export interface StagedBefore {
  sourceKey: string;
  /** The staged file, absolute. */
  file: string;
  hash: string;
  title: string | undefined;
  directory: string | undefined;
  standsIn: readonly string[];
  copyKeys: readonly string[];
  wing: string;
  made: Fingerprint;
}

/** What is staged of transcripts, by source key; read without touching anything. */
export function readStaged(cache: string): Map<string, StagedBefore[]> {
  const found = new Map<string, StagedBefore[]>();
  for (const { wing, folder, source } of stagedTranscripts(cache, staged)) {
    const made = readFingerprint(source.fingerprint);
    if (made === undefined) continue;
    const { sourceKey, path, hash, title, directory, standsIn = [], copyKeys = [] } = source;
    const file = join(folder, path);
    const record = { sourceKey, file, hash, title, directory, standsIn, copyKeys, wing, made };
    found.set(sourceKey, [...(found.get(sourceKey) ?? []), record]);
  }
  return found;
}

/** The files that each staged transcript was made from, by source key. */
export function filesOfStaged(cache: string): Map<string, string[]> {
  const paths = (records: StagedBefore[]) => records[0]?.made.files.map(({ path }) => path) ?? [];
  return new Map([...readStaged(cache)].map(([key, records]) => [key, paths(records)]));
}
