import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../../../core/errors.js';
import { buildSourceKey } from '../../../core/source-key.js';
import {
  beginTry,
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
import { removeOldNotes } from '../../../hooks/sessions.js';
import { takeLock } from '../../../platform/lock.js';
import { openRegular } from '../../../platform/regular-file.js';
import { passTicket, returnTicket } from '../../../platform/ticket.js';
import { Palace, palaceExists } from '../../../store/index.js';
import { brokenInstall } from '../../app/broken-install.js';
import { isNamed } from '../../app/broker.js';
import { plural } from '../../app/durations.js';
import { EXIT } from '../../app/exit.js';
import type { CommonFlags, FilingFlags } from '../../app/options.js';
import { filingModel } from '../../app/palace-model.js';
import type { CommandContext } from '../../app/runner.js';
import { line, Terminal } from '../../terminal/terminal.js';
import { runTranscripts } from '../session/transcripts.js';

const COMMAND = 'mempalace hook flush';
const DEFAULT_LIMIT_MS = 600_000;
/** Error codes of failed writes. */
const DISK_REFUSES = /^(?:ENOSPC|EDQUOT|EFBIG|EROFS|SQLITE_FULL|SQLITE_IOERR_(?:WRITE|FSYNC|TRUNCATE|SHM))/;
/** The part of the time limit that one session may take. */
const SESSION_SHARE = 0.5;
/** Milliseconds past a limit after which the run is asked to end, and the same again after which it is killed. */
const GRACE_MS = 60_000;
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
  const lists = { problems: [], ended: [] };
  const counts = { sessions: 0, filed: 0, failed: 0, left: 0, set_aside: 0 };
  const flushed: Flushed = { command: COMMAND, ...counts, ...lists };
  if (flags.retry === true && flags.drop === true)
    throw new UserError('usage', '--retry and --drop exclude each other');
  if (flags.drop === true) {
    const dropped = plural(dropAside(palace), 'session');
    context.terminal.say(`dropped ${dropped} that could not be filed`);
  }
  if (flags.retry === true) retryAside(palace);
  if (waiting(palace) === 0) return report(flushed, context.terminal);
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
  if (flushed.ended.length > 0 && context.config.summary.auto === 'on')
    flushed.summaries = await (await import('../summarise/after-end.js')).summariseEnded(
      flushed.ended,
      context,
    );
  return report(flushed, context.terminal);
}

/** Ends a run that hangs: its entry has counted the try. */
class Watchdog {
  /** The run took too long, and was asked to end. */
  hasAsked = false;
  #end = 0;
  readonly #timer = setInterval(() => {
    if (performance.now() < this.#end) return;
    // A run that waits for the system does not end when it is asked to.
    process.kill(process.pid, this.hasAsked ? 'SIGKILL' : 'SIGTERM');
    this.hasAsked = true;
  }, GRACE_MS).unref();

  /** Counts from now. */
  allow(limitMs: number): void {
    this.#end = performance.now() + limitMs + GRACE_MS;
  }

  end(): void {
    clearInterval(this.#timer);
  }
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
      const leftMs = end - performance.now();
      if (leftMs <= 0) return;
      const [first, ...others] = group;
      const trouble = first === undefined ? undefined : transcriptTrouble(first);
      if (first !== undefined && trouble !== undefined) {
        refuse(flushed, setAside(palace, first, trouble));
        continue;
      }
      const maxDuration = Math.min(leftMs, sessionMs);
      watchdog.allow(maxDuration);
      const filing = { wait: leftMs / 2, redact: true, maxDuration };
      const { code, reason } = await attempt(group, filing, watchdog, context);
      if (code === EXIT.done) {
        for (const entry of group) settle(entry);
        flushed.filed += group.length;
        flushed.ended.push(...group.filter((entry) => entry.ended).map(keyOf));
      } else if (others.length > 0) {
        // One of them may be the cause.
        for (const entry of group) putBack(entry);
        groups.unshift(...group.map((entry) => [entry]));
      } else if (first !== undefined) {
        await failed(palace, first, { code, reason }, flushed, context);
      }
    }
  }
}

async function failed(
  palace: string,
  entry: Taken,
  { code, reason }: { code: number; reason: string },
  flushed: Flushed,
  context: CommandContext,
): Promise<void> {
  if (entry.tries + 1 < MOST_TRIES) complain(flushed, entry, reason);
  else if (code === EXIT.incomplete && (await isFiled(palace, entry, context))) {
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
  const key = keyOf(entry);
  if (there !== undefined) {
    const call = { signal, agent: COMMAND, through: COMMAND, waitMs: 0 };
    const { conversations } = await there.filedSources(
      { pathsOf: [], run: { command: COMMAND, scope: '' } },
      call,
    );
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

/**
 * Files a group. Returns the exit code, and why it is not 0. A failure does not stop the other groups.
 *
 * @throws errors that would affect every session; the entries stay queued, and no try is counted
 */
async function attempt(
  group: readonly Taken[],
  filing: FilingFlags,
  watchdog: Watchdog,
  context: CommandContext,
): Promise<{ code: number; reason: string }> {
  for (const entry of group) beginTry(entry);
  // The output of the runs goes to the log; the flush prints its own document.
  const options = { ...context.terminal.options, json: false, quiet: true };
  const terminal = new Terminal(context.terminal.io, options, context.terminal.log);
  const silent: CommandContext = {
    ...context,
    terminal,
    startEmbedder: async (asked) =>
      (await import('../../app/broker-model.js')).borrowEmbedder(COMMAND, context, asked),
  };
  try {
    const code = await fileGroup(group, filing, silent);
    return { code, reason: 'something could not be read, or the time limit was reached' };
  } catch (error) {
    const cause = context.signal.aborted || isNoFaultOfSessions(error) ? error : await modelTrouble(context);
    if (cause === undefined) return { code: EXIT.failed, reason: messageOf(error) };
    if (!watchdog.hasAsked) for (const entry of group) putBack(entry);
    throw cause;
  }
}

/** An error of the palace, the disk or the installation. */
function isNoFaultOfSessions(error: unknown): boolean {
  const codes = ['locked', 'unreachable', 'interrupted', 'palace-newer', 'palace-damaged'];
  if (error instanceof UserError && codes.includes(error.code)) return true;
  if (brokenInstall(error) !== undefined) return true;
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('code' in each && DISK_REFUSES.test(String(each.code))) return true;
  }
  return false;
}

/** The error of a model that cannot embed any text: its runtime or a file is missing, or an endpoint is down. */
async function modelTrouble(context: CommandContext): Promise<unknown> {
  // Behind a named broker, the model is there, too.
  if (isNamed(context.config)) return undefined;
  try {
    const { loadEmbedder } = await import('../../../embedding/index.js');
    const { id, dimension } = await filingModel(context.folders.palace, context);
    const embedder = await loadEmbedder({ modelId: id, dimension, env: context.env });
    await embedder.embed(['']).finally(() => embedder.close());
    return undefined;
  } catch (error) {
    return error;
  }
}

async function fileGroup(
  group: readonly Taken[],
  filing: FilingFlags,
  context: CommandContext,
): Promise<number> {
  const [first] = group;
  if (first === undefined) return EXIT.done;
  const { harness, transcript, sessionId } = first;
  const ended = group.filter((entry) => entry.ended).map((entry) => keyOf(entry));
  const checkpoints = new Map(ended.map((key) => [key, { kind: 'end' as const }]));
  if (harness === 'opencode') {
    const { runSession } = await import('../session/run.js');
    const session = group.map((entry) => entry.sessionId);
    const all = { minMessages: 0, subagents: true, backup: true, color: false };
    return runSession({ ...all, ...filing, session }, context, checkpoints);
  }
  if (transcript === undefined) return EXIT.done;
  const { HARNESSES } = await import('../../../feeders/transcripts/index.js');
  const program = HARNESSES.find(({ name }) => name === harness);
  if (program === undefined) return EXIT.done;
  const files = [transcript, ...((await program.filesOfSession?.(transcript, sessionId)) ?? [])];
  return runTranscripts(
    () => ({ places: [], files, minMessages: 0, wing: undefined, room: undefined }),
    {
      command: COMMAND,
      scope: JSON.stringify({ session: sessionId }),
      narrowed: true,
      flags: filing,
      checkpoints,
    },
    context,
  );
}

const keyOf = ({ harness, sessionId }: Taken): string => buildSourceKey({ kind: harness, owner: sessionId });

function report(flushed: Flushed, terminal: Terminal): number {
  const { ended: _, ...document } = flushed;
  terminal.json(document);
  if (!terminal.options.json)
    for (const { session_id, harness, reason } of flushed.problems)
      terminal.warn(`${harness} ${line(session_id)}: ${line(reason)}`);
  const left = flushed.left === 0 ? '' : `, ${flushed.left} left for the next run`;
  terminal.say(`filed ${flushed.filed} of ${plural(flushed.sessions, 'session')}${left}`);
  return flushed.left > 0 ? EXIT.incomplete : EXIT.done;
}
