import { buildSourceKey, KEY_KIND } from '../../core/source-key.js';
import type { ConversationOptions } from '../staging/wings.js';
import type { ForkDecision, KnownSession } from './forks.js';
import type { DatabaseLocation } from './locate.js';

export interface FiledSession {
  sourceKey: string;
  sessionId: string | null;
  wing: string;
  /** The session's last change when it was filed, in epoch milliseconds. */
  mtimeMs: number;
  directory?: string | null | undefined;
}

export interface SessionOptions extends ConversationOptions {
  databases: DatabaseLocation[];
  /**
   * `since` is the start of the last run, which saw every older session. Older sessions that are not filed in their
   * current state are from another or a restored database, and are included.
   */
  sawOlder?: boolean;
  /** Ids: only these sessions; overrides `minMessages`, `since`, `directory` and `subagents`. */
  sessions: string[];
  directory?: string | undefined;
  /** False skips sessions that another session started. */
  subagents: boolean;
  /** At most this number of sessions, latest change first. */
  limit?: number | undefined;
  /** The palace's sessions by source key. */
  filed: ReadonlyMap<string, FiledSession>;
}

/** A session that this run files. Its texts are not sanitised. */
export interface WorkItem {
  session: KnownSession;
  sourceKey: string;
  title: string;
  wing: string;
  directory: string;
  room: string;
  parentTitle: string | undefined;
  messages: number;
  status: 'new' | 'grown' | 'unchanged';
  /** `rowsSignature` of the session. */
  rows: string;
  /** `-` if it is not a fork, or if the next run must decide again. */
  forkSignature: string;
  decision: ForkDecision;
  /** The same for a session, its sub-agents and its copies. */
  tree: string;
}

export const CONTAINED = 'fork with nothing of its own';

export const UNKNOWN_FORM = 'messages of an unknown form';
export const NEWER = 'a newer opencode may have written them: update mempalace-toolkit';

export function sourceKeyOf(sessionId: string): string {
  return buildSourceKey({ kind: KEY_KIND.opencode, owner: sessionId });
}

/** @param sourceKey of a session of opencode */
export function sessionIdOf(sourceKey: string): string {
  return sourceKey.slice(sourceKeyOf('').length);
}

export function originOf(sessionId: string): string {
  return `opencode://${sessionId}`;
}
