import { z } from 'zod';
import { PRIORITIES } from './importance.js';

/** The contract between feeder and miner: a feeder produces a `Batch` of plain files, and the miner files it. */

/** Prefix of `copyKeys`. */
export const COPY_KEY_PREFIX = 'copy:';

export const CHECKPOINT_ROOM = 'checkpoints';

export const SUMMARY_ROOM = 'summaries';

export const INGEST_MODES = ['docs', 'convos', 'diary', 'checkpoint', 'summary'] as const;
export type IngestMode = (typeof INGEST_MODES)[number];

/** The fields of a source that its manifest contains, too. */
const recordedSource = z.object({
  /** The staged file, absolute; empty for a source with `text`. */
  path: z.string(),
  /** See `source-key.ts`. */
  sourceKey: z.string().min(1),
  /** The staged path below the cache root; shown to people, may change. */
  sourceFile: z.string().min(1),
  /** An absolute path, or `opencode://<session id>`. */
  origin: z.string(),
  kind: z.enum(['document', 'conversation']),
  wing: z.string().min(1),
  room: z.string().min(1),
  /** The file's mtime, or the session's last change, in epoch milliseconds. */
  mtimeMs: z.number(),
  title: z.string().optional(),
  sessionId: z.string().optional(),
  /** The working folder of a session. */
  directory: z.string().optional(),
  priority: z.enum(PRIORITIES).optional(),
  /**
   * What gave a source its priority: a rule of an approved `mempalace.yaml`, a rule of one that the user did not
   * approve, the document's front matter, or the project's watchdog manifest. The last three may come from strangers: they count in search, never in
   * wake-up. In a manifest, only for the feeder that wrote it; mining a staging folder ignores it.
   */
  priorityFrom: z.enum(['approved-rule', 'rule', 'front-matter', 'manifest']).optional(),
  /** The type that the project's watchdog manifest gives a document. One in its front matter counts before it. */
  givenType: z.string().optional(),
  /** Size and SHA-256 of the staged file: they decide whether it is unchanged. */
  bytes: z.number().int().nonnegative(),
  hash: z.string(),
  /** Versions that shaped the staged bytes, such as `transcriber 1, sanitiser 1`. */
  madeBy: z.string(),
  /** Redactions in the staged file, by kind. */
  redacted: z.record(z.string(), z.number()).optional(),
  /** Rows that could not be parsed and are missing from the staged file. */
  unparsedRows: z.number().optional(),
  /** The given day of all its content (`YYYY-MM-DD`). */
  contentDate: z.string().optional(),
  /** Former names of parts of it, as `<name>@<offset in UTF-16 units>`. */
  aliases: z.array(z.string()).optional(),
  /** Rows that were left out because of their size or unknown kind. */
  leftOutRows: z.number().optional(),
  /** Keys of sources that contain the messages this transcript leaves out (a fork's copied prefix). */
  standsIn: z.array(z.string()).optional(),
  /**
   * Ids of messages that this transcript leaves out on purpose: the program's own records say that they were undone, or the
   * sources of `standsIn` contain them. Every other filed message that it lacks stays in the palace.
   */
  leftOut: z.array(z.string()).optional(),
  /** Key of the session that started this one as a sub-agent, where the key does not say so. */
  parentKey: z.string().optional(),
  /** Keys, in addition to message ids, that identify copies of its messages; stored with the ids. */
  copyKeys: z.array(z.string()).optional(),
});

export interface StagedSource extends z.infer<typeof recordedSource> {
  /** The sanitised text of a document that was never a file. */
  text?: string | undefined;
  /** Default: `docs` or `convos`, by its kind. */
  ingestMode?: IngestMode | undefined;
  /** True when the staged file has already passed the current sanitiser. */
  sanitised?: boolean | undefined;
}
export type SourceKind = StagedSource['kind'];
export type PriorityOrigin = NonNullable<StagedSource['priorityFrom']>;

const skippedSchema = z.object({
  /** A path or `opencode://<session id>`. */
  origin: z.string(),
  /** A short class to count by, such as `source code` or `fewer than 3 messages`. */
  reason: z.string(),
  detail: z.string().optional(),
  /** True for a failure: the run ends with exit code 3. */
  problem: z.boolean().optional(),
});
export type Skipped = z.infer<typeof skippedSchema>;

/** A folder whose documents are filed together. */
const projectSchema = z.object({
  /** Part of the source keys. */
  id: z.string(),
  /** Absolute path on this machine. */
  root: z.string(),
  /** Hash of the repository's first commit, or null without git. */
  rootCommit: z.string().nullable(),
  /** Name of the folder below the wing's staging folder. */
  folder: z.string(),
});
export type Project = z.infer<typeof projectSchema>;
export interface FiledProject extends Project {
  wing: string;
}

/** The file in a staging folder with its manifest. */
export const MANIFEST_NAME = '.mempalace-batch.json';

/**
 * A staging folder's record of its content, so that staging and mining can run separately. `path` of a source is
 * relative to the manifest's folder (POSIX separators), so that a moved cache still works and a manifest cannot name
 * files outside its folder.
 */
export const manifestSchema = z.object({
  version: z.literal(1),
  /** `fingerprint`: compared by the feeder to detect changes; opaque to the miner. */
  sources: z.array(recordedSource.extend({ fingerprint: z.string() })),
  skipped: z.array(skippedSchema),
  /** Absent for conversations. */
  project: projectSchema.optional(),
  /** Present when the feeder saw every document of a project: documents that it did not list are gone. */
  complete: z
    .object({
      project: z.string(),
      /** Relative folders (POSIX, no trailing slash) that could not be read: nothing below them counts as gone. */
      unread: z.array(z.string()),
      /** The relative folder that is complete; absent for the whole project. */
      folder: z.string().optional(),
      /** Relative folders and files with data of tests. Sources below them were documents once: removing them needs no consent. */
      testData: z.array(z.string()).optional(),
      /** Ids of former projects inside this one, whose sources belong to it now. */
      absorbs: z.array(z.string()).optional(),
    })
    .optional(),
  /** Sources that are no longer filed because others contain all their text (a fork without messages of its own). */
  contained: z
    .array(
      z.object({
        sourceKey: z.string(),
        standsIn: z.array(z.string()),
        /** Ids of its messages that the others contain; one that was filed and is not among them is not lost. */
        leftOut: z.array(z.string()).optional(),
      }),
    )
    .optional(),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** What another machine sends of a batch before its sources. */
export const batchHeadSchema = manifestSchema.pick({ project: true, complete: true, contained: true });
export type BatchHead = z.infer<typeof batchHeadSchema>;
/** What it sends of a source before its text. */
export const announcedSourceSchema = recordedSource.omit({ priorityFrom: true });
export type AnnouncedSource = z.infer<typeof announcedSourceSchema>;

/**
 * Removes what must not be filed, knowing the secrets of the session. `turn`: words of a user; `result`: output of a
 * tool.
 */
export type Recleaning = (text: string, place?: 'turn' | 'result') => Promise<string>;

export interface Batch extends Omit<Manifest, 'version' | 'sources'> {
  sources: StagedSource[];
  /** By source key, for filed text that a source has lost: its session may have revealed secrets of it since. */
  recleaning?: Map<string, Recleaning> | undefined;
  /**
   * Staged elsewhere: the batch may not remove documents of other projects or messages of a session, nor change the
   * recorded path of a project that exists on this machine.
   */
  guarded?: boolean | undefined;
}
