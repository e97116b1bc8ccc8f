import { buildSourceKey, KEY_KIND } from '../../core/source-key.js';
import type { TimeIsUp } from '../../core/time-up.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import type { WingsOptions } from '../staging/wings.js';
import type { ForkDecision, KnownSession } from './forks.js';
import type { DatabaseLocation } from './locate.js';

/** A session in the palace. */
export interface FiledSession {
  sourceKey: string;
  sessionId: string | null;
  wing: string;
  /** The session's last change when it was filed, in epoch milliseconds. */
  mtimeMs: number;
  directory?: string | null | undefined;
}

export interface SessionOptions extends Omit<WingsOptions, 'root'> {
  databases: DatabaseLocation[];
  /** Sessions with fewer messages are skipped, with their sub-agents. */
  minMessages: number;
  /** Only sessions changed at or after this time, epoch milliseconds. */
  since?: number | undefined;
  /**
   * `since` is the start of the last run, which saw every older session. Older sessions that are not filed in their
   * current state are from another or a restored database, and are included.
   */
  sawOlder?: boolean;
  /** Ids: only these sessions; overrides `minMessages`, `since`, `directory` and `subagents`. */
  sessions: string[];
  /** Only sessions in this folder or below it. */
  directory?: string | undefined;
  /** False skips sessions that another session started. */
  subagents: boolean;
  /** At most this number of sessions, latest change first. */
  limit?: number | undefined;
  /** Overrides the default, and the wing that a session is already filed in. */
  wing?: string | undefined;
  /** The palace's sessions by source key. */
  filed: ReadonlyMap<string, FiledSession>;
  sanitiser: Sanitiser;
  /** Also transcribes what is staged and unchanged. */
  force: boolean;
  /** Called after each written transcript; if true, no other one is started. */
  timeIsUp?: TimeIsUp | undefined;
  /** @param done of `total` bytes */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** A session that this run files. Its texts are not sanitised. */
export interface WorkItem {
  session: KnownSession;
  /** `opencode:<id>`. */
  sourceKey: string;
  /** On one line. */
  title: string;
  wing: string;
  directory: string;
  room: string;
  parentTitle: string | undefined;
  /** As counted for `minMessages`. */
  messages: number;
  /** Compared with the palace. */
  status: 'new' | 'grown' | 'unchanged';
  /** `rowsSignature` of the session. */
  rows: string;
  /** `-` if it is not a fork, or if the next run must decide again. */
  forkSignature: string;
  decision: ForkDecision;
  /** The same for a session, its sub-agents and its copies. */
  tree: string;
}

export const DEFAULT_WING = 'wing_conversations';

export const FORGOTTEN = 'forgotten';
export const CONTAINED = 'fork with nothing of its own';

export const UNKNOWN_FORM = 'messages of an unknown form';
export const NEWER = 'a newer opencode may have written them: update mempalace-toolkit';

export function sourceKeyOf(sessionId: string): string {
  return buildSourceKey({ kind: KEY_KIND.opencode, owner: sessionId });
}

export function originOf(sessionId: string): string {
  return `opencode://${sessionId}`;
}
