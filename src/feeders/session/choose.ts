import { resolve } from 'node:path';
import type { Skipped } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { plural } from '../../core/plural.js';
import { shortTitle } from '../../core/short-names.js';
import { titleOf } from '../staging/slug.js';
import { closeAll, collectSessions, sessionProblem } from './collect.js';
import type { KnownSession } from './forks.js';
import { type DatabaseLocation, realPathOf } from './locate.js';
import { countMessages, type MessageCount } from './messages.js';
import { FORGOTTEN, NEWER, originOf, type SessionOptions, sourceKeyOf, UNTOLD } from './options.js';

const NOT_NAMED = 'not named by --session';

export interface Chosen {
  session: KnownSession;
  messages: number;
}

/**
 * Which sessions a run takes, the newest change first, and why not the others.
 *
 * @param knownCount the message count of an unchanged session, when an earlier run left it
 * @param overdue ids of sessions that `since` does not keep out
 * @throws UserError `not-found` when none of the sessions asked for by id exists
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
  /** As many as needed of one that is gone or empty, forgotten, or filed however short it is. */
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
    // A forgotten one without its title: what is passed over is written down.
    const detail = options.forgotten?.has(sourceKeyOf(id)) ? {} : { detail: shortTitle(titleOf(title)) };
    const pass = (reason: string) => skipped.push({ origin: originOf(id), reason, ...detail });
    const reason = reasonFor(session);
    const count = reason === undefined ? counted(session, knownCount, skipped) : undefined;
    if (reason !== undefined) pass(reason);
    if (count === undefined) continue;
    const { messages, unparsed, untold } = count;
    const root = named.size > 0 ? session : rootOf(session, sessions);
    // What another session started belongs to that one, and has no minimum of its own.
    const ofRoot = root === session ? messages : messagesOfRoot(root);
    if (named.size > 0 || ofRoot >= options.minMessages) chosen.push({ session, messages });
    else if (root === session && unparsed > 0) skipped.push(tooFewReadable(session, count));
    else if (root === session && messages + untold >= options.minMessages)
      skipped.push(tooFewKnown(session, count));
    else pass(`fewer than ${plural(options.minMessages, 'message')}`);
  }
  return { chosen, skipped };
}

/** The session that one was started in the end by; undefined when that is gone. */
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

function newestFirst(a: KnownSession, b: KnownSession): number {
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
  const old = options.since !== undefined && change.changedMs < options.since;
  if (old && !overdue.has(row.id) && !isUnseen(session, options)) return 'not changed since then';
  if (!options.subagents && row.parent_id !== null && row.parent_id !== undefined) return 'subagent session';
  return undefined;
}

/** Of an older session: no run has filed it as it is, though one that was complete should have. */
function isUnseen({ row, change }: KnownSession, { sawOlder, filed, minMessages }: SessionOptions): boolean {
  if (sawOlder !== true) return false;
  const known = filed.get(sourceKeyOf(row.id));
  // A session of fewer rows than that was passed over, and will be again: its messages need not be counted.
  return known === undefined ? change.messages >= Math.max(1, minMessages) : change.changedMs > known.mtimeMs;
}

/** As it is given, and without symbolic links: opencode writes down either, as the shell had it. */
function spellingsOf(folder: string): string[] {
  const path = resolve(folder);
  return [path, realPathOf(path)];
}

function isWithin(path: string, folder: string): boolean {
  const bare = path.length > 1 ? path.replace(/\/+$/, '') : path;
  return bare === folder || bare.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/**
 * Looks for sessions that are asked for by id, without reading any.
 *
 * @throws UserError `not-found` when none of them exists, and as `collectSessions` does
 */
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

/** It may be a whole session whose rows were damaged: that is not the same as a short one. */
function tooFewReadable({ row }: KnownSession, { messages, unparsed }: MessageCount): Skipped {
  const rows = `${plural(unparsed, 'row')} could not be read`;
  const detail = `${shortTitle(titleOf(row.title))}: ${rows}, ${plural(messages, 'message')} ${messages === 1 ? 'is' : 'are'} left; what is filed stays`;
  return { origin: originOf(row.id), reason: 'unreadable rows', detail, problem: true };
}

/** A newer opencode may write down in another form what was said. */
function tooFewKnown({ row }: KnownSession, { messages, untold }: MessageCount): Skipped {
  const detail = `${shortTitle(titleOf(row.title))}: ${untold} of them, ${messages} others; ${NEWER}; what is filed stays`;
  return { origin: originOf(row.id), reason: UNTOLD, detail, problem: true };
}

function counted(
  session: KnownSession,
  knownCount: (session: KnownSession) => number | undefined,
  skipped: Skipped[],
): MessageCount | undefined {
  try {
    const messages = knownCount(session);
    if (messages !== undefined) return { messages, unparsed: 0, untold: 0 };
    return countMessages(session.history, session.row);
  } catch (error) {
    skipped.push(sessionProblem(error, session));
    return undefined;
  }
}
