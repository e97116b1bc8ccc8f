import type { Skipped } from '../../core/contract.js';
import { buildSourceKey, KEY_KIND } from '../../core/source-key.js';
import type { TimeIsUp } from '../../core/time-up.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import type { Fork, ForkDecision, KnownSession } from './forks.js';
import type { DatabaseLocation } from './locate.js';

/** What the palace holds of a session. */
export interface FiledSession {
  sourceKey: string;
  sessionId: string;
  wing: string;
  /** The session's last change when it was filed, in epoch milliseconds. */
  mtimeMs: number;
  sourceFile: string;
}

export interface SessionOptions {
  databases: DatabaseLocation[];
  /** Sessions with fewer messages are passed over, with those that they started. */
  minMessages: number;
  /** Only sessions changed at or after this time, in epoch milliseconds. */
  since?: number | undefined;
  /**
   * `since` is the start of the last run, which saw every session older than that: those that are not filed as they
   * are now come from another database, or a restored one, and are taken.
   */
  sawOlder?: boolean;
  /** Ids: only these sessions, and `minMessages`, `since`, `directory` and `subagents` do not count. */
  sessions: string[];
  /** Only sessions held in this folder or below it. */
  directory?: string | undefined;
  /** False passes over sessions that another session started. */
  subagents: boolean;
  /** At most so many sessions, the newest by their last change. */
  limit?: number | undefined;
  /** Overrides the wing that holds a session already, and the default. */
  wing?: string | undefined;
  /** What the palace holds, by source key. */
  filed: Map<string, FiledSession>;
  /** Source keys that are not to be filed, nor what others copied of them. */
  forgotten?: ReadonlySet<string> | undefined;
  sanitiser: Sanitiser;
  /** The cache root: transcripts are staged below `<cache>/mempalace-session/<wing>`. */
  cache: string;
  /** Transcribes what is staged already, too. */
  force: boolean;
  /** Named to others that wait for the staging folder's lock. */
  command: string;
  /** How long to wait for that lock, in milliseconds. */
  waitMs: number;
  signal?: AbortSignal | undefined;
  /** Asked after each transcript that was written; then no other one is begun. */
  timeIsUp?: TimeIsUp | undefined;
  /** @param done of `total` bytes */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** A session that this run files, as it lies in opencode. Texts are as found: not sanitised. */
export interface SurveyedSession {
  id: string;
  /** `opencode:<id>`. */
  sourceKey: string;
  /** opencode's own, where it has one. */
  slug: string | undefined;
  /** On one line. */
  title: string;
  directory: string;
  room: string;
  wing: string;
  /** `YYYY-MM-DD`, in UTC, of the day the session was begun. */
  date: string;
  /** As counted for `minMessages`. */
  messages: number;
  /** Newest change of session, messages and parts, in epoch milliseconds. */
  changedMs: number;
  /** Against the palace. */
  status: 'new' | 'grown' | 'unchanged';
  /** Bytes of JSON in its parts: what the drawers can be estimated from. */
  estimatedChars: number;
  parentId: string | undefined;
  /** Sessions (source keys) that hold the messages which this one copied and leaves out. */
  standsIn: string[];
}

/** What is to be staged; `work` is for `stageSessions` alone. */
export interface SessionSurvey {
  /** The newest change first; each call starts from the beginning. */
  sessions(): SurveyedSession[];
  /** Everything that was passed over, and why; what could not be read is marked as a problem. */
  skipped: Skipped[];
  /** Of `skipped`, the problems. */
  problems: Skipped[];
  /** Filed forks that others hold entirely now, by wing. */
  contained: { wing: string; sourceKey: string; standsIn: string[] }[];
  work: SurveyWork;
  /** Ends the read transactions. To be called when `stageSessions` is not; twice does no harm. */
  close(): void;
}

interface SurveyWork {
  /** Chosen sessions and forks found to hold nothing of their own, oldest first. */
  items: WorkItem[];
  /** Filed sessions of this tree that the run did not choose: they have to lose what the others give away. */
  relativesOf(tree: string): WorkItem[];
  /** Decides again about a fork when sessions it was to lean on could not be staged (`failed`: their ids). */
  judgeWithout(fork: Fork, failed: ReadonlySet<string>): ForkDecision;
  /** Other wings in whose staging folders a session lies. */
  wingsOf(sourceKey: string): string[];
}

export interface WorkItem {
  session: KnownSession;
  sourceKey: string;
  wing: string;
  directory: string;
  parentTitle: string | undefined;
  messages: number;
  rows: string;
  forkSignature: string;
  fork: Fork | undefined;
  decision: ForkDecision;
  /** The same for all sessions that belong together: with those that a session started or that copied from it. */
  tree: string;
}

export { TRANSCRIPTS_ROOT as STAGING_ROOT } from '../staging/read-staged.js';
export const DEFAULT_WING = 'wing_conversations';

export const FORGOTTEN = 'forgotten';
export const CONTAINED = 'fork with nothing of its own';

export const UNTOLD = 'messages of an unknown form';
export const NEWER = 'a newer opencode may have written them: update mempalace-toolkit';

export function sourceKeyOf(sessionId: string): string {
  return buildSourceKey({ kind: KEY_KIND.opencode, owner: sessionId });
}

export function originOf(sessionId: string): string {
  return `opencode://${sessionId}`;
}
