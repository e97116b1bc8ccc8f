import { join } from 'node:path';
import { messageOf, UserError } from '../../../core/errors.js';
import { buildSourceKey } from '../../../core/source-key.js';
import {
  hooksFolder,
  noted,
  putBack,
  runTicket,
  settle,
  type Taken,
  take,
  waiting,
} from '../../../hooks/queue.js';
import { removeOldNotes } from '../../../hooks/sessions.js';
import { takeLock } from '../../../platform/lock.js';
import { passTicket, returnTicket } from '../../../platform/ticket.js';
import { brokenInstall } from '../../app/broken-install.js';
import { plural } from '../../app/durations.js';
import { EXIT } from '../../app/exit.js';
import type { CommonFlags, FilingFlags } from '../../app/options.js';
import { filingModel } from '../../app/palace-model.js';
import type { CommandContext } from '../../app/runner.js';
import { line, Terminal } from '../../terminal/terminal.js';
import { runTranscripts } from '../session/transcripts.js';

const COMMAND = 'mempalace hook flush';
const DEFAULT_LIMIT_MS = 600_000;
/** After this many failed runs a session waits for the next hook that names it. */
const MOST_TRIES = 3;
/** Error codes of failed writes. */
const DISK_REFUSES = /^(?:ENOSPC|EDQUOT|EFBIG|EROFS|SQLITE_FULL|SQLITE_IOERR_(?:WRITE|FSYNC|TRUNCATE|SHM))/;
/** Milliseconds past the limit after which the run is asked to end, repeatedly. */
const GRACE_MS = 60_000;
/** Milliseconds; enough for an earlier run that has returned its ticket. */
const LOCK_MS = 5_000;

type HookFlushFlags = CommonFlags & Pick<FilingFlags, 'maxDuration'>;

interface Flushed {
  command: string;
  sessions: number;
  filed: number;
  failed: number;
  left: number;
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
  const flushed: Flushed = { command: COMMAND, sessions: 0, filed: 0, failed: 0, left: 0, ...lists };
  if (waiting(palace) === 0) return report(flushed, context.terminal);
  const lock = await takeLock(join(hooksFolder(palace), 'flush.lock'), COMMAND, LOCK_MS, context.signal);
  const watchdog = watch(limitMs);
  try {
    // A hook that saw the ticket just before its return did not start a run.
    do {
      passTicket(runTicket(palace), process.pid);
      await flushAll(palace, end, flushed, context);
      removeOldNotes(palace, Date.now());
      returnTicket(runTicket(palace));
    } while (noted(palace) > 0 && performance.now() < end);
  } finally {
    returnTicket(runTicket(palace));
    clearInterval(watchdog);
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

/** Ends a run that hangs. */
function watch(limitMs: number): NodeJS.Timeout {
  const end = performance.now() + limitMs + GRACE_MS;
  const check = () => {
    if (performance.now() >= end) process.kill(process.pid, 'SIGTERM');
  };
  const timer = setInterval(check, GRACE_MS);
  timer.unref();
  return timer;
}

async function flushAll(
  palace: string,
  end: number,
  flushed: Flushed,
  context: CommandContext,
): Promise<void> {
  for (let first = true; ; first = false) {
    // Entries put back by this run wait for the next one.
    const taken = take(palace).filter(({ tries }) => first || tries === 0);
    if (taken.length === 0) return;
    flushed.sessions += taken.length;
    for (const group of groupsOf(taken)) {
      const leftMs = end - performance.now();
      if (leftMs <= 0) return;
      const filing = { wait: leftMs / 2, redact: true, maxDuration: leftMs };
      const code = await attempt(group, filing, flushed, context);
      if (code === EXIT.done) {
        for (const entry of group) settle(entry);
        flushed.filed += group.length;
        flushed.ended.push(...group.filter((entry) => entry.ended).map(keyOf));
      } else {
        flushed.failed += group.length;
        for (const entry of group) {
          if (entry.tries + 1 < MOST_TRIES) putBack(entry);
          else settle(entry);
        }
      }
    }
  }
}

/** One run for all sessions of opencode, and one per transcript. */
function groupsOf(taken: readonly Taken[]): Taken[][] {
  const stored = taken.filter(({ harness }) => harness === 'opencode');
  const written = taken.filter(({ harness }) => harness !== 'opencode');
  return [...(stored.length > 0 ? [stored] : []), ...written.map((entry) => [entry])];
}

/**
 * Files a group and returns the exit code. A failure does not stop the other groups.
 *
 * @throws errors that would affect every session; the entries stay queued, and no attempt is counted
 */
async function attempt(
  group: readonly Taken[],
  filing: FilingFlags,
  flushed: Flushed,
  context: CommandContext,
): Promise<number> {
  const complain = (reason: string) => {
    for (const { sessionId, harness } of group)
      flushed.problems.push({ session_id: sessionId, harness, reason });
  };
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
    if (code !== EXIT.done) complain('something could not be read, or the time limit was reached');
    return code;
  } catch (error) {
    if (context.signal.aborted || isNoFaultOfSessions(error)) throw error;
    const trouble = await modelTrouble(context);
    if (trouble !== undefined) throw trouble;
    complain(messageOf(error));
    return EXIT.failed;
  }
}

/** An error of the palace, the disk or the installation. */
function isNoFaultOfSessions(error: unknown): boolean {
  const codes = ['locked', 'interrupted', 'palace-newer', 'palace-damaged'];
  if (error instanceof UserError && codes.includes(error.code)) return true;
  if (brokenInstall(error) !== undefined) return true;
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('code' in each && DISK_REFUSES.test(String(each.code))) return true;
  }
  return false;
}

/** The error of a model that cannot embed any text: its runtime or a file is missing, or an endpoint is down. */
async function modelTrouble(context: CommandContext): Promise<unknown> {
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
  return flushed.failed > 0 || flushed.left > 0 ? EXIT.incomplete : EXIT.done;
}
