/**
 * The contract between feeder and miner. A feeder produces a `Batch` of plain files and nothing else; the
 * miner files whatever a batch lists and asks nobody where it came from.
 */

/** Of the names that `copyKeys` gives to messages. */
export const COPY_KEY_PREFIX = 'copy:';

export type SourceKind = 'document' | 'conversation';

/** The way by which a source came into the palace. */
export const INGEST_MODES = ['docs', 'convos', 'diary'] as const;
export type IngestMode = (typeof INGEST_MODES)[number];

/** How important something is, the most important first. What has none counts as medium. */
export const PRIORITIES = ['high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/**
 * What gave a source its priority: a rule of a `mempalace.yaml` that the user approved, a rule of one that the user did
 * not approve, or the front matter of the document. Files that somebody else wrote may contain the last two: they rank in
 * search and never put anything into wake-up.
 */
export const PRIORITY_ORIGINS = ['approved-rule', 'rule', 'front-matter'] as const;
export type PriorityOrigin = (typeof PRIORITY_ORIGINS)[number];

/** One staged file and what it is. */
export interface StagedSource {
  /** The staged file, absolute; empty for what has `text`. */
  path: string;
  /** All of a document that never was a file: what somebody handed over, sanitised. */
  text?: string | undefined;
  /** As `source-key.ts` builds it. */
  sourceKey: string;
  /** The staged path below the cache root; shown to people, may change. */
  sourceFile: string;
  /** What it was made from: an absolute path, or `opencode://<session id>`. */
  origin: string;
  kind: SourceKind;
  wing: string;
  room: string;
  /** Of the origin: file mtime, or the session's last change. Epoch milliseconds. */
  mtimeMs: number;
  title?: string | undefined;
  sessionId?: string | undefined;
  /** The folder a session was held in. */
  directory?: string | undefined;
  /** As its own front matter or its project's rules say. */
  priority?: Priority | undefined;
  priorityFrom?: PriorityOrigin | undefined;
  /** Size of the staged file in bytes, and SHA-256 of its bytes: what "unchanged" is judged by. */
  bytes: number;
  hash: string;
  /** Absent: `docs` or `convos`, as its kind is. */
  ingestMode?: IngestMode | undefined;
  /** Versions of everything that shaped the staged bytes, such as `transcriber 1, sanitiser 1`. */
  madeBy: string;
  /** True when a miner that has a sanitiser need not use it: the staged file has passed that very one. */
  sanitised?: boolean | undefined;
  /** Redactions in the staged file, by kind. */
  redacted?: Record<string, number> | undefined;
  /** Rows of this source that could not be parsed and are missing from the staged file. */
  unparsedRows?: number | undefined;
  /** The day that all of it is of (`YYYY-MM-DD`), where somebody else said so. */
  contentDate?: string | undefined;
  /** Names that stretches of it had elsewhere, as `<name>@<offset in UTF-16 units>`. */
  aliases?: string[] | undefined;
  /** Rows that were left out for their size, or for being of a kind that this version does not know. */
  leftOutRows?: number | undefined;
  /** Source keys that hold the messages this transcript leaves out (a fork's copied prefix). */
  standsIn?: string[] | undefined;
  /** Names by which copies of its messages are told, beside their ids; kept with those. */
  copyKeys?: string[] | undefined;
}

/** Something that was looked at and not chosen, and why. */
export interface Skipped {
  /** The path or `opencode://<session id>` that was skipped. */
  origin: string;
  /** A short class to count by, such as `source code` or `fewer than 3 messages`. */
  reason: string;
  /** What is particular to this one. */
  detail?: string | undefined;
  /** True when this could not be read and should have been: the run ends with exit code 3. */
  problem?: boolean | undefined;
}

/** A folder whose documents are filed together. */
export interface Project {
  /** Recorded in the palace; part of the source keys. */
  id: string;
  /** Absolute path of the project's root on this machine. */
  root: string;
  /** Hash of the repository's first commit, or null without git. */
  rootCommit: string | null;
  /** Name of the folder below the wing's staging folder. */
  folder: string;
}

/** A project as the palace remembers it. */
export interface FiledProject extends Project {
  wing: string;
}

/** Present when the feeder saw every document of a project: what it did not list is gone. */
interface Completeness {
  /** Project id. */
  project: string;
  /** Relative folders (POSIX, no trailing slash) that could not be read: nothing below them is gone. */
  unread: string[];
  /** Complete only for this relative folder of the project; absent for the whole project. */
  folder?: string | undefined;
  /** Ids of projects that lay inside this one and are part of it now: their sources are this project's. */
  absorbs?: string[] | undefined;
}

export interface Batch {
  sources: StagedSource[];
  skipped: Skipped[];
  /** The project the documents belong to; absent for conversations. */
  project?: Project | undefined;
  complete?: Completeness | undefined;
  /** Sources that are not filed any more because others hold all of their text (a fork without words of its own). */
  contained?: { sourceKey: string; standsIn: string[] }[] | undefined;
  /**
   * Staged elsewhere: nothing is taken from other projects, and no message from a session, and where a project is on
   * this machine stays as it is recorded.
   */
  guarded?: boolean | undefined;
}
