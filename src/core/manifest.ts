import { z } from 'zod';
import { PRIORITIES, PRIORITY_ORIGINS } from './contract.js';

/**
 * A staging folder's record of its content, so that staging and mining can run separately: the batch, and a
 * fingerprint per source, by which the feeder recognises unchanged ones.
 */
export const MANIFEST_NAME = '.mempalace-batch.json';

const stagedSource = z.object({
  path: z.string(),
  sourceKey: z.string().min(1),
  sourceFile: z.string().min(1),
  origin: z.string(),
  kind: z.enum(['document', 'conversation']),
  wing: z.string().min(1),
  room: z.string().min(1),
  mtimeMs: z.number(),
  title: z.string().optional(),
  sessionId: z.string().optional(),
  directory: z.string().optional(),
  priority: z.enum(PRIORITIES).optional(),
  /** Only for the feeder that wrote it; mining a staging folder ignores it. */
  priorityFrom: z.enum(PRIORITY_ORIGINS).optional(),
  bytes: z.number().int().nonnegative(),
  hash: z.string(),
  madeBy: z.string(),
  redacted: z.record(z.string(), z.number()).optional(),
  unparsedRows: z.number().optional(),
  contentDate: z.string().optional(),
  aliases: z.array(z.string()).optional(),
  leftOutRows: z.number().optional(),
  standsIn: z.array(z.string()).optional(),
  copyKeys: z.array(z.string()).optional(),
  /** Compared by the feeder to detect changes; opaque to the miner. */
  fingerprint: z.string(),
});

export const manifestSchema = z.object({
  version: z.literal(1),
  sources: z.array(stagedSource),
  skipped: z.array(
    z.object({
      origin: z.string(),
      reason: z.string(),
      detail: z.string().optional(),
      problem: z.boolean().optional(),
    }),
  ),
  project: z
    .object({ id: z.string(), root: z.string(), rootCommit: z.string().nullable(), folder: z.string() })
    .optional(),
  complete: z
    .object({
      project: z.string(),
      unread: z.array(z.string()),
      folder: z.string().optional(),
      absorbs: z.array(z.string()).optional(),
    })
    .optional(),
  contained: z.array(z.object({ sourceKey: z.string(), standsIn: z.array(z.string()) })).optional(),
});

/**
 * In the file, `path` of a source is relative to the manifest's folder (POSIX separators), so that a moved cache still
 * works and a manifest cannot name files outside its folder.
 */
export type Manifest = z.infer<typeof manifestSchema>;
