import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../../../core/errors.js';
import { sessionKey } from '../../../hooks/protocol.js';
import {
  dropAside,
  dropOldAside,
  hooksFolder,
  MOST_TRIES,
  noted,
  putBack,
  retryAside,
  runTicket,
  type SetAside,
  setAside,
  settle,
  type Taken,
  take,
  waiting,
} from '../../../hooks/queue.js';
import { rest, rested, restNoMore } from '../../../hooks/resting.js';
import { removeOldNotes } from '../../../hooks/sessions.js';
import { ask } from '../../../operations/operation.js';
import { takeLock } from '../../../platform/lock.js';
import { openRegular } from '../../../platform/regular-file.js';
import { passTicket, returnTicket } from '../../../platform/ticket.js';
import { Palace, palaceExists } from '../../../store/index.js';
import { plural } from '../../../terminal/durations.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import { isNamed } from '../../app/broker.js';
import { EXIT } from '../../app/exit.js';
import type { CommonFlags, FilingFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { type Attempt, attempt, COMMAND } from './attempt.js';
import { Watchdog } from './watchdog.js';

const DEFAULT_LIMIT_MS = 600_000;
/** The part of the time limit that one session may take. */
const SESSION_SHARE = 0.5;
/** Milliseconds; enough for an earlier run that has returned its ticket. */
const LOCK_MS = 5_000;

type HookFlushFlags = CommonFlags & Pick<FilingFlags, 'maxDuration'> & { retry?: boolean; drop?: boolean };

interface Flushed {
  command: string;
  sessions: number;
  filed: number;
  failed: number;
  left: number;
  /** Sessions that no further run tries by itself. */
  set_aside: number;
  problems: { session_id: string; harness: string; reason: string }[];
  /** Keys of filed sessions that ended. */
  ended: string[];
  /** Of those whose end may not be reported. */
  resting: string[];
  /** Of these; absent if no model is asked then. */
  summaries?: { filed: number; left: number; problem: string | null };
}

/**
 * `mempalace hook flush`: files the queued sessions, including those queued meanwhile. One flush per palace at a
 * time. Returns the exit code.
 *
 * @throws UserError `locked` if another flush is running, or a run locks the palace for too long
 */
export async function runHookFlush(context: CommandContext, flags: HookFlushFlags): Promise<number> {
  const { palace } = context.folders;
  const { maxDuration: limitMs = DEFAULT_LIMIT_MS } = flags;
  const end = performance.now() + limitMs;
  const lists = { problems: [], ended: [], resting: [] };
  const counts = { sessions: 0, filed: 0, failed: 0, left: 0, set_aside: 0 };
  const flushed: Flushed = { command: COMMAND, ...counts, ...lists };
  if (flags.retry === true && flags.drop === true)
    throw new UserError('usage', '--retry and --drop exclude each other');
  if (flags.drop === true) {
    const dropped = plural(dropAside(palace), 'session');
    context.terminal.say(`dropped ${dropped} that could not be filed`);
  }
  if (flags.retry === true) retryAside(palace);
  const isAuto = context.config.summary.auto === 'on';
  if (waiting(palace) === 0 && !(isAuto && rested(palace, Date.now()).length > 0))
    return report(flushed, context.terminal);
  const lock = await takeLock(join(hooksFolder(palace), 'flush.lock'), COMMAND, LOCK_MS, context.signal);
  const watchdog = new Watchdog();
  watchdog.allow(limitMs);
  let there: CommandContext['there'];
  try {
    // Out of reach, the sessions wait where they are.
    if (isNamed(context.config))
      there = await (await import('../../app/named-broker.js')).connectNamed(context);
    const connected = there === undefined ? context : { ...context, there };
    // A hook that saw the ticket just before its return did not start a run.
    do {
      passTicket(runTicket(palace), process.pid);
      await flushAll(palace, { end, sessionMs: limitMs * SESSION_SHARE, watchdog }, flushed, connected);
      removeOldNotes(palace, Date.now());
      dropOldAside(palace, Date.now());
      returnTicket(runTicket(palace));
    } while (noted(palace) > 0 && performance.now() < end);
  } finally {
    await there?.close();
    returnTicket(runTicket(palace));
    watchdog.end();
    lock.release();
  }
  flushed.left = waiting(palace);
  if (isAuto) await summarise(palace, flushed, context);
  return report(flushed, context.terminal);
}

/**
 * Summarises the sessions that ended: those whose end was reported, and those that have rested for long. To summarise a session at
 * every stop of its agent would ask the model again for each prompt.
 */
async function summarise(palace: string, flushed: Flushed, context: CommandContext): Promise<void> {
  for (const key of flushed.resting) rest(palace, key);
  const ended = new Set([...flushed.ended, ...rested(palace, Date.now())]);
  // A model that does not answer is not asked by every hook.
  for (const key of ended) restNoMore(palace, key);
  if (ended.size === 0) return;
  const { summariseEnded } = await import('../summarise/command.js');
  flushed.summaries = await summariseEnded([...ended], context);
}

interface Limits {
  /** Of the run, on the clock of `performance`. */
  end: number;
  sessionMs: number;
  watchdog: Watchdog;
}

async function flushAll(
  palace: string,
  { end, sessionMs, watchdog }: Limits,
  flushed: Flushed,
  context: CommandContext,
): Promise<void> {
  let hasBegun = false;
  for (let first = true; ; first = false) {
    const { taken, aside } = take(palace);
    for (const each of aside) refuse(flushed, each);
    flushed.sessions += aside.length;
    // Entries that this run failed to file wait for the next one.
    const due = taken.filter(({ tries }) => first || tries === 0);
    if (due.length === 0) return;
    flushed.sessions += due.length;
    const groups = groupsOf(due);
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const leftMs = Math.max(0, end - performance.now());
      // Runs that are all too short get on: each begins one.
      if (leftMs === 0 && hasBegun) return;
      hasBegun = true;
      const [first, ...others] = group;
      const trouble = first === undefined ? undefined : transcriptTrouble(first);
      if (first !== undefined && trouble !== undefined) {
        refuse(flushed, setAside(palace, first, trouble));
        continue;
      }
      const maxDuration = Math.min(leftMs, sessionMs);
      watchdog.allow(maxDuration);
      const filing = { wait: leftMs / 2, redact: true, maxDuration };
      const attempted = await attempt(group, filing, watchdog, context);
      if (attempted.result === 'filed') {
        for (const entry of group) settle(entry);
        flushed.filed += group.length;
        flushed.ended.push(...group.filter(({ ended }) => ended).map(sessionKey));
        flushed.resting.push(...group.filter(({ ended, rests }) => rests && !ended).map(sessionKey));
      } else if (attempted.result === 'cut') {
        for (const entry of group) putBack(entry);
        groups.push(group);
      } else if (others.length > 0) {
        // One of them may be the cause.
        for (const entry of group) putBack(entry);
        groups.unshift(...group.map((entry) => [entry]));
      } else if (first !== undefined) {
        await failed(palace, first, attempted, flushed, context);
      }
    }
  }
}

async function failed(
  palace: string,
  entry: Taken,
  { result, reason }: Extract<Attempt, { reason: string }>,
  flushed: Flushed,
  context: CommandContext,
): Promise<void> {
  if (entry.tries + 1 < MOST_TRIES) complain(flushed, entry, reason);
  else if (result === 'unread' && (await isFiled(palace, entry, context))) {
    // All of it that can be read.
    settle(entry);
    complain(flushed, entry, reason);
  } else {
    refuse(flushed, setAside(palace, entry, reason));
    return;
  }
  flushed.failed += 1;
}

function complain(
  flushed: Flushed,
  { harness, sessionId }: Pick<SetAside, 'harness' | 'sessionId'>,
  reason: string,
): void {
  flushed.problems.push({ session_id: sessionId ?? 'unknown', harness: harness ?? 'unknown', reason });
}

function refuse(flushed: Flushed, aside: SetAside): void {
  flushed.failed += 1;
  flushed.set_aside += 1;
  complain(flushed, aside, `set aside: ${aside.reason}`);
}

async function isFiled(folder: string, entry: Taken, { there, signal }: CommandContext): Promise<boolean> {
  const key = sessionKey(entry);
  if (there !== undefined) {
    const call = { signal, agent: COMMAND, through: COMMAND, waitMs: 0 };
    const { receiving } = await import('../../../operations/receiving.js');
    const run = { command: COMMAND, scope: '' };
    const { conversations } = await ask(there, receiving.filedSources, { pathsOf: [], run }, call);
    return conversations.some(({ sourceKey }) => sourceKey === key);
  }
  return palaceExists(folder) && Palace.look(folder, ({ sources }) => sources.byKey(key) !== undefined);
}

/** Why a transcript cannot be read, though it could when it was noted. */
function transcriptTrouble({ harness, transcript }: Taken): string | undefined {
  if (harness === 'opencode' || transcript === undefined) return undefined;
  try {
    closeSync(openRegular(transcript).file);
    return undefined;
  } catch (error) {
    return `its transcript cannot be read: ${messageOf(error)}`;
  }
}

/** One run for all sessions of opencode that never failed, and one per transcript. */
function groupsOf(taken: readonly Taken[]): Taken[][] {
  const together = taken.filter(({ harness, tries }) => harness === 'opencode' && tries === 0);
  const alone = taken.filter((entry) => !together.includes(entry));
  return [...(together.length > 0 ? [together] : []), ...alone.map((entry) => [entry])];
}

function report(flushed: Flushed, terminal: Terminal): number {
  const { ended: _, resting: __, ...document } = flushed;
  terminal.json(document);
  if (!terminal.options.json)
    for (const { session_id, harness, reason } of flushed.problems)
      terminal.warn(`${harness} ${line(session_id)}: ${line(reason)}`);
  const left = flushed.left === 0 ? '' : `, ${flushed.left} left for the next run`;
  terminal.say(`filed ${flushed.filed} of ${plural(flushed.sessions, 'session')}${left}`);
  return flushed.left > 0 ? EXIT.incomplete : EXIT.done;
}
