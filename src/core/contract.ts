/** The contract between feeder and miner: a feeder produces a `Batch` of plain files, and the miner files it. */

/** Prefix of `copyKeys`. */
export const COPY_KEY_PREFIX = 'copy:';

export type SourceKind = 'document' | 'conversation';

export const INGEST_MODES = ['docs', 'convos', 'diary'] as const;
export type IngestMode = (typeof INGEST_MODES)[number];

/** From the most important. Without a priority, `medium` applies. */
export const PRIORITIES = ['high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/**
 * What gave a source its priority: a rule of an approved `mempalace.yaml`, a rule of one that the user did not approve,
 * or the document's front matter. The last two may come from strangers: they count in search, never in wake-up.
 */
export const PRIORITY_ORIGINS = ['approved-rule', 'rule', 'front-matter'] as const;
export type PriorityOrigin = (typeof PRIORITY_ORIGINS)[number];

export interface StagedSource {
  /** The staged file, absolute; empty for a source with `text`. */
  path: string;
  /** The sanitised text of a document that was never a file. */
  text?: string | undefined;
  /** See `source-key.ts`. */
  sourceKey: string;
  /** The staged path below the cache root; shown to people, may change. */
  sourceFile: string;
  /** An absolute path, or `opencode://<session id>`. */
  origin: string;
  kind: SourceKind;
  wing: string;
  room: string;
  /** The file's mtime, or the session's last change, in epoch milliseconds. */
  mtimeMs: number;
  title?: string | undefined;
  sessionId?: string | undefined;
  /** The working folder of a session. */
  directory?: string | undefined;
  priority?: Priority | undefined;
  priorityFrom?: PriorityOrigin | undefined;
  /** Size and SHA-256 of the staged file: they decide whether it is unchanged. */
  bytes: number;
  hash: string;
  /** Default: `docs` or `convos`, by its kind. */
  ingestMode?: IngestMode | undefined;
  /** Versions that shaped the staged bytes, such as `transcriber 1, sanitiser 1`. */
  madeBy: string;
  /** True when the staged file has already passed the current sanitiser. */
  sanitised?: boolean | undefined;
  /** Redactions in the staged file, by kind. */
  redacted?: Record<string, number> | undefined;
  /** Rows that could not be parsed and are missing from the staged file. */
  unparsedRows?: number | undefined;
  /** The given day of all its content (`YYYY-MM-DD`). */
  contentDate?: string | undefined;
  /** Former names of parts of it, as `<name>@<offset in UTF-16 units>`. */
  aliases?: string[] | undefined;
  /** Rows that were left out because of their size or unknown kind. */
  leftOutRows?: number | undefined;
  /** Keys of sources that contain the messages this transcript leaves out (a fork's copied prefix). */
  standsIn?: string[] | undefined;
  /** Keys, in addition to message ids, that identify copies of its messages; stored with the ids. */
  copyKeys?: string[] | undefined;
}

export interface Skipped {
  /** A path or `opencode://<session id>`. */
  origin: string;
  /** A short class to count by, such as `source code` or `fewer than 3 messages`. */
  reason: string;
  detail?: string | undefined;
  /** True for a failure: the run ends with exit code 3. */
  problem?: boolean | undefined;
}

/** A folder whose documents are filed together. */
export interface Project {
  /** Part of the source keys. */
  id: string;
  /** Absolute path on this machine. */
  root: string;
  /** Hash of the repository's first commit, or null without git. */
  rootCommit: string | null;
  /** Name of the folder below the wing's staging folder. */
  folder: string;
}

export interface FiledProject extends Project {
  wing: string;
}

/** Present when the feeder saw every document of a project: documents that it did not list are gone. */
interface Completeness {
  /** Project id. */
  project: string;
  /** Relative folders (POSIX, no trailing slash) that could not be read: nothing below them counts as gone. */
  unread: string[];
  /** The relative folder that is complete; absent for the whole project. */
  folder?: string | undefined;
  /** Ids of former projects inside this one, whose sources belong to it now. */
  absorbs?: string[] | undefined;
}

export interface Batch {
  sources: StagedSource[];
  skipped: Skipped[];
  /** Absent for conversations. */
  project?: Project | undefined;
  complete?: Completeness | undefined;
  /** Sources that are no longer filed because others contain all their text (a fork without messages of its own). */
  contained?: { sourceKey: string; standsIn: string[] }[] | undefined;
  /**
   * Staged elsewhere: the batch may not remove documents of other projects or messages of a session, nor change the
   * recorded path of a project that exists on this machine.
   */
  guarded?: boolean | undefined;
}
