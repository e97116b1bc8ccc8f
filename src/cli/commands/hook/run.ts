import { closeSync, existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { type Config, loadConfig, namesBroker, useZone } from '../../../config/index.js';
import { isErrno, messageOf, UserError } from '../../../core/errors.js';
import { endsSilently, type HookInput, hookOutput, readHookInput } from '../../../hooks/protocol.js';
import { enqueue, hooksLog, runTicket, waiting } from '../../../hooks/queue.js';
import { rested } from '../../../hooks/resting.js';
import { noteOf, putNote, sessionBefore } from '../../../hooks/sessions.js';
import { type Folders, resolveFolders } from '../../../platform/folders.js';
import { inPackage } from '../../../platform/in-package.js';
import { openRegular } from '../../../platform/regular-file.js';
import { drawTicket, passTicket, returnTicket } from '../../../platform/ticket.js';
import { Log, logConfig } from '../../../terminal/logging/log.js';
import { jsonText } from '../../../terminal/terminal.js';
import { EXIT } from '../../app/exit.js';
import { type HookRunConfig, type HookRunFlags, hookRunConfig } from './config.js';
import type { Look, Starting } from './context.js';
import type { Resumed } from './resume.js';
import { readStdin, writeStdout } from './stdio.js';
import { transcriptIn } from './transcript.js';

/** Time limit of a background run, including its wait for another run. */
const RUN_LIMIT = '10m';
/** Gives priority to the user's own programs. */
const NICE = 15;

/**
 * `mempalace hook run`: the agent program waits for it, so it loads little and files nothing. It always answers with
 * valid JSON or nothing, and exit code 0, since other codes stop the program. Errors go to the log.
 */
export async function runHook(flags: HookRunFlags): Promise<number> {
  const { env } = process;
  let folders = resolveFolders(env, flags.palace);
  let config: Config | undefined;
  const log = (level: 'warn' | 'info', message: string) => writeLog(level, message, flags, folders);
  let answer: Record<string, unknown> | undefined = {};
  let onTold: Resumed['onTold'];
  try {
    const run = hookRunConfig(flags);
    answer = hookOutput(run.hook, run.harness, undefined);
    config = await loadConfig({ env, folders, flags: { palace: flags.palace } });
    useZone(config);
    folders = resolveFolders(env, config.palace);
    const input = inputOf(await readStdin());
    for (const trouble of input.refused) log('warn', `${run.harness} ${run.hook}: ${trouble}: refused`);
    const starting = { palace: folders.palace, harness: run.harness, input, config };
    if (run.hook === 'session-start') {
      const told = await contextFor(starting, log);
      answer = hookOutput(run.hook, run.harness, told.context, told.trouble);
      onTold = told.onTold;
    } else if (run.hook === 'user-prompt') {
      if (config.wakeUp.prompt === 'on') {
        const { promptContext } = await import('./prompt.js');
        answer = hookOutput(run.hook, run.harness, await promptContext(starting));
      }
    } else {
      queue(run, input, folders, log);
    }
  } catch (error) {
    log('warn', messageOf(error));
  }
  try {
    if (config !== undefined && hasWork(folders.palace, config)) await startRun(folders.palace, flags, log);
  } catch (error) {
    log('warn', messageOf(error));
  }
  if (answer !== undefined) writeStdout(`${jsonText(answer)}\n`);
  try {
    onTold?.();
  } catch (error) {
    log('warn', messageOf(error));
  }
  return EXIT.done;
}

/** Whether there is something for a run: noted sessions, or sessions to summarise that have rested for long. */
const hasWork = (palace: string, { summary }: Config): boolean =>
  waiting(palace) > 0 || (summary.auto === 'on' && rested(palace, Date.now()).length > 0);

/** The error quotes nothing of the session. */
function inputOf(text: string): HookInput {
  try {
    return readHookInput(text);
  } catch {
    throw new UserError('usage', 'stdin is not JSON');
  }
}

type Say = (level: 'warn' | 'info', message: string) => void;

/** Adds the session to the queue. */
function queue({ hook, harness }: HookRunConfig, input: HookInput, { palace }: Folders, log: Say): void {
  const { sessionId } = input;
  if (sessionId === undefined) {
    log('warn', `${harness} ${hook}: no session_id was given`);
    return;
  }
  const transcript = transcriptOf(hook, harness, sessionId, input);
  if (harness !== 'opencode' && transcript === undefined) {
    const lack = harness === 'kimi' ? 'there is no such session of Kimi CLI' : 'no transcript_path was given';
    log('warn', `${harness} ${hook}: ${lack}, so nothing is filed`);
    return;
  }
  const offset = transcript === undefined ? undefined : sizeOf(transcript);
  const ended = hook === 'session-end';
  const rests = hook === 'stop' && endsSilently(harness);
  const fresh = enqueue(palace, { harness, sessionId, transcript, offset, ended, rests });
  // Sub-agents of Codex are sessions, too; the user works in none of them.
  if (hook !== 'subagent-stop')
    putNote(palace, { ...noteOf(palace, { harness, sessionId, cwd: input.cwd }), transcript, ended });
  log('info', `${harness} ${hook}: ${fresh ? 'queued' : 'queued already'}`);
}

/**
 * Bytes of a transcript. A run could wait for ever for what is not a regular file.
 *
 * @throws NotRegularFile, or the file system's error
 */
function sizeOf(transcript: string): number {
  const { file, size } = openRegular(transcript);
  closeSync(file);
  return size;
}

/** Sub-agents of Claude Code are stored next to the session; those of Codex have files like any other session. */
function transcriptOf(
  hook: HookRunConfig['hook'],
  harness: HookRunConfig['harness'],
  sessionId: string,
  { transcript, agentTranscript }: HookInput,
): string | undefined {
  if (harness === 'codex' && hook === 'subagent-stop') return agentTranscript ?? transcript;
  return transcriptIn(harness, sessionId, { transcript });
}

interface Told {
  context?: string;
  trouble?: string;
  onTold?: Resumed['onTold'];
}

async function contextFor(starting: Starting, log: Say): Promise<Told> {
  let look: Look | undefined;
  try {
    const { hookContext, Look } = await import('./context.js');
    const isThere = namesBroker(starting.config);
    look = new Look(isThere ? undefined : starting.palace);
    const { lines, onTold } = await resumed(starting, look, log);
    const context = isThere
      ? await (await import('./there.js')).contextThere(starting, lines)
      : hookContext(look, starting, lines);
    if (context !== undefined) return { context, onTold };
    log('info', 'session-start: there is no palace yet');
    return {};
  } catch (error) {
    const { brokenInstall } = await import('../../app/broken-install.js');
    const trouble = withCure(brokenInstall(error) ?? error);
    log('warn', `wake-up: ${trouble}`);
    return { trouble };
  } finally {
    look?.close();
  }
}

/** The state of this session, or of the one before it, which is filed then. An error here costs only this part. */
async function resumed(starting: Starting, look: Look, log: Say): Promise<Resumed> {
  const { palace, input, harness } = starting;
  const { sessionId, cwd } = input;
  // On a full disk nothing can be noted; the session is told its state all the same.
  const attempt = (writing: () => void) => {
    try {
      writing();
    } catch (error) {
      log('warn', `resume: ${messageOf(error)}`);
    }
  };
  try {
    if (sessionId === undefined) return { lines: [] };
    if (!namesBroker(starting.config) && !existsSync(palace)) return { lines: [] };
    if (!needsReading(starting)) {
      putNote(palace, {
        ...noteOf(palace, { harness, sessionId, cwd }),
        transcript: input.transcript,
        ended: false,
      });
      return { lines: [] };
    }
    const { resume } = await import('./resume.js');
    await withoutOptimiser();
    const found = await resume(starting, look, attempt);
    const { left } = found;
    if (left !== undefined)
      attempt(() => {
        const { transcript } = left;
        // A session that was opened and closed has none.
        if (transcript !== undefined && !existsSync(transcript)) return;
        const offset = transcript === undefined ? undefined : sizeOf(transcript);
        enqueue(palace, { ...left, offset, ended: true, rests: false });
      });
    return found;
  } catch (error) {
    log('warn', `resume: ${messageOf(error)}`);
    return { lines: [] };
  }
}

/**
 * The hook ends before optimised code is of use. Making it takes a sixth of the processor time, on other threads. V8 refuses
 * compiled code that is loaded later, since its flags differ.
 */
async function withoutOptimiser(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--no-opt');
}

/** A usual start reads no transcript, and does not load the readers. */
function needsReading({ palace, harness, input: { source, sessionId = '', cwd } }: Starting): boolean {
  if (source === 'compact' || source === 'resume') return true;
  return sessionBefore(palace, { harness, sessionId, cwd })?.ended === false;
}

const withCure = (error: unknown): string =>
  error instanceof UserError && error.hint !== undefined
    ? `${error.message}: ${error.hint}`
    : messageOf(error);

/** Starts a run that files the queue, unless there is one. It outlives this process and the agent program. */
async function startRun(palace: string, { logFile, logLevel }: HookRunFlags, log: Say): Promise<void> {
  if (!drawTicket(runTicket(palace))) return;
  const { spawn } = await import('node:child_process');
  const given = [
    ['--log-file', logFile ?? defaultLog(palace)],
    ['--log-level', logLevel],
  ].flatMap(([name, value]) => (name === undefined || value === undefined ? [] : [name, value]));
  const child = spawn(
    process.execPath,
    [
      inPackage('bin/mempalace'),
      'hook',
      'flush',
      '--palace',
      palace,
      '--quiet',
      '--max-duration',
      RUN_LIMIT,
      ...given,
    ],
    { detached: true, stdio: 'ignore', cwd: palace, env: process.env },
  );
  if (child.pid === undefined) {
    returnTicket(runTicket(palace));
    child.on('error', (error) => log('warn', `the background run did not start: ${messageOf(error)}`));
    return;
  }
  passTicket(runTicket(palace), child.pid);
  try {
    setPriority(child.pid, NICE);
  } catch (error) {
    if (!isErrno(error, 'ERR_SYSTEM_ERROR')) throw error;
  }
  child.unref();
}

const defaultLog = (palace: string): string | undefined => {
  const { MEMPALACE_LOG_FILE: file = '' } = process.env;
  return file === '' ? hooksLog(palace) : undefined;
};

function writeLog(level: 'warn' | 'info', message: string, flags: HookRunFlags, folders: Folders): void {
  try {
    const { logFile = defaultLog(folders.palace), logLevel } = flags;
    const config = logConfig({ logFile, logLevel }, process.env, folders.home);
    const log = new Log(config, 'mempalace hook run', () => undefined);
    log.write(level, message);
    log.close();
  } catch {
    // The hook answers even if the log cannot be written.
  }
}
