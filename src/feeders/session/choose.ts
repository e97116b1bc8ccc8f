import { resolve } from 'node:path';
import type { Skipped } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { plural } from '../../core/plural.js';
import { shortTitle } from '../../core/short-names.js';
import { titleOf } from '../staging/slug.js';
import { FORGOTTEN } from '../staging/wings.js';
import { closeAll, collectSessions, sessionProblem } from './collect.js';
import type { KnownSession } from './forks.js';
import { type DatabaseLocation, realPathOf } from './locate.js';
import { countMessages, type MessageCount } from './messages.js';
import { NEWER, originOf, type SessionOptions, sourceKeyOf, UNKNOWN_FORM } from './options.js';

const NOT_NAMED = 'not named by --session';

export interface Chosen {
  session: KnownSession;
  messages: number;
}

/**
 * Selects the sessions of a run, latest change first, and gives a reason for each skipped one.
 *
 * @param knownCount the message count of an unchanged session, if an earlier run stored it
 * @param overdue ids of sessions to which `since` does not apply
 * @throws UserError `not-found` when none of the requested ids exists
 */
export function chooseSessions(
  sessions: ReadonlyMap<string, KnownSession>,
  options: SessionOptions,
  knownCount: (session: KnownSession) => number | undefined,
  overdue: ReadonlySet<string> = new Set(),
): { chosen: Chosen[]; skipped: Skipped[] } {
  const skipped: Skipped[] = [];
  const chosen: Chosen[] = [];
  const named = new Set(options.sessions);
  missing(named, sessions, skipped);
  const roots = new Map<string, number>();
  /** The minimum itself for a root that is missing, empty, forgotten or filed: it then sets no limit. */
  const messagesOfRoot = (root: KnownSession | undefined): number => {
    if (root === undefined || root.change.messages === 0) return options.minMessages;
    const key = sourceKeyOf(root.row.id);
    if (options.filed.has(key) || options.forgotten?.has(key)) return options.minMessages;
    const count = roots.get(key) ?? counted(root, knownCount, [])?.messages ?? options.minMessages;
    roots.set(key, count);
    return count;
  };
  const directories = options.directory === undefined ? undefined : spellingsOf(options.directory);
  const reasonFor = (session: KnownSession): string | undefined => {
    if (named.size > 0 && !named.has(session.row.id)) return NOT_NAMED;
    if (options.forgotten?.has(sourceKeyOf(session.row.id)) === true) return FORGOTTEN;
    const refused = named.size > 0 ? undefined : refusal(session, options, directories, overdue);
    if (refused !== undefined) return refused;
    if (session.change.messages === 0) return 'no messages';
    return options.limit !== undefined && chosen.length >= options.limit ? 'beyond --limit' : undefined;
  };
  for (const session of [...sessions.values()].sort(newestFirst)) {
    const { id, title } = session.row;
    // Skips are stored, so they must not contain the title of a forgotten session.
    const detail = options.forgotten?.has(sourceKeyOf(id)) ? {} : { detail: shortTitle(titleOf(title)) };
    const pass = (reason: string, more: Partial<Skipped> = detail) =>
      skipped.push({ origin: originOf(id), reason, ...more });
    const hold = (reason: string, why: string) =>
      pass(reason, { detail: `${shortTitle(titleOf(title))}: ${why}; what is filed stays`, problem: true });
    const reason = reasonFor(session);
    const count = reason === undefined ? counted(session, knownCount, skipped) : undefined;
    if (reason !== undefined) pass(reason);
    if (count === undefined) continue;
    const { messages, unparsed, unrecognised } = count;
    const root = named.size > 0 ? session : rootOf(session, sessions);
    // The minimum applies to the root session; sub-agents follow it.
    const ofRoot = root === session ? messages : messagesOfRoot(root);
    const isEnough = named.size > 0 || ofRoot >= options.minMessages;
    // A filed session may have lost messages, or the user reverted some: it stays a session.
    const isFiled = options.filed.has(sourceKeyOf(session.row.id));
    if (isEnough || isFiled) chosen.push({ session, messages });
    if (isEnough) continue;
    // Not the same as a short session: its rows may be damaged, or of a form that a newer opencode uses.
    if (root === session && unparsed > 0)
      hold(
        'unreadable rows',
        `${plural(unparsed, 'row')} could not be read, ${plural(messages, 'message')} could`,
      );
    else if (root === session && messages + unrecognised >= options.minMessages)
      hold(UNKNOWN_FORM, `${unrecognised} of them, ${messages} others; ${NEWER}`);
    else if (!isFiled) pass(`fewer than ${plural(options.minMessages, 'message')}`);
  }
  return { chosen, skipped };
}

/** Undefined if it does not exist any more. */
function rootOf(
  session: KnownSession,
  sessions: ReadonlyMap<string, KnownSession>,
): KnownSession | undefined {
  const seen = new Set<KnownSession>();
  let root: KnownSession | undefined = session;
  while (root !== undefined && !seen.has(root) && (root.row.parent_id ?? null) !== null) {
    seen.add(root);
    root = sessions.get(root.row.parent_id ?? '');
  }
  return root;
}

export function newestFirst(a: KnownSession, b: KnownSession): number {
  return b.change.changedMs - a.change.changedMs || (a.row.id < b.row.id ? -1 : 1);
}

function refusal(
  session: KnownSession,
  options: SessionOptions,
  directories: readonly string[] | undefined,
  overdue: ReadonlySet<string>,
): string | undefined {
  const { row, change } = session;
  if (directories !== undefined && !directories.some((folder) => isWithin(row.directory ?? '', folder)))
    return 'held in another directory';
  // A session with wrong times may have changed at any time.
  const old = options.since !== undefined && change.changedMs < options.since && !change.misdated;
  if (old && !overdue.has(row.id) && !isUnseen(session, options)) return 'not changed since then';
  if (!options.subagents && row.parent_id !== null && row.parent_id !== undefined) return 'subagent session';
  return undefined;
}

/** Whether an older session is not filed in its current state, although a complete run should have filed it. */
function isUnseen({ row, change }: KnownSession, { sawOlder, filed, minMessages }: SessionOptions): boolean {
  if (sawOlder !== true) return false;
  const known = filed.get(sourceKeyOf(row.id));
  // A session with fewer rows than the minimum is skipped again, so its messages are not counted.
  return known === undefined ? change.messages >= Math.max(1, minMessages) : change.changedMs > known.mtimeMs;
}

/** The path as given, and without symbolic links: opencode stores either form. */
function spellingsOf(folder: string): string[] {
  const path = resolve(folder);
  return [path, realPathOf(path)];
}

function isWithin(path: string, folder: string): boolean {
  const bare = path.length > 1 ? path.replace(/\/+$/, '') : path;
  return bare === folder || bare.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** @throws UserError `not-found` when none of these sessions exists, and as `collectSessions` does */
export function requireSessions(databases: readonly DatabaseLocation[], ids: readonly string[]): void {
  const { sessions, histories } = collectSessions(databases);
  closeAll(histories);
  missing(new Set(ids), sessions, []);
}

function missing(named: Set<string>, sessions: ReadonlyMap<string, KnownSession>, skipped: Skipped[]): void {
  const unknown = [...named].filter((id) => !sessions.has(id));
  if (unknown.length > 0 && unknown.length === named.size) {
    const hint = 'see the ids with --dry-run, or with: opencode session list';
    throw new UserError('not-found', `there is no session ${unknown.join(', ')}`, { hint });
  }
  for (const id of unknown)
    skipped.push({ origin: originOf(id), reason: 'no such session', detail: id, problem: true });
}

function counted(
  session: KnownSession,
  knownCount: (session: KnownSession) => number | undefined,
  skipped: Skipped[],
): MessageCount | undefined {
  try {
    const messages = knownCount(session);
    if (messages !== undefined) return { messages, unparsed: 0, unrecognised: 0 };
    return countMessages(session.history, session.row);
  } catch (error) {
    skipped.push(sessionProblem(error, session));
    return undefined;
  }
}
