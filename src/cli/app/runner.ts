import type { Config } from '../../config/index.js';
import { UserError } from '../../core/errors.js';
import type { Embedder, EmbedderOptions } from '../../embedding/index.js';
import { type Folders, resolveFolders } from '../../platform/folders.js';
import type { ConnectedService } from '../../service/rpc/client.js';
import { type Io, loadColours, watchOutput } from '../../terminal/io.js';
import type { Log, LogFlags } from '../../terminal/logging/log.js';
import { plain, Terminal } from '../../terminal/terminal.js';
import { beginCall, type Call, current } from './call.js';
import { asInterruption, report } from './failure.js';
import type { CommonFlags } from './options.js';
import { catchSignals } from './signals.js';

/** The context of a command that works without a valid configuration file. */
export interface BareContext {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  folders: Folders;
  signal: AbortSignal;
}

/** What a command of the user prints. */
export interface Answering {
  /** What documents and runs call it, such as `mempalace scrub`. */
  command: string;
  /** Prints the document of `--json`, signed, and marked if it is that of a dry run. */
  answer(document: object): void;
}

/** The context of a command of the user. */
export type ProgramContext = CommandContext & Answering;

export interface CommandContext extends BareContext {
  config: Config;
  /** The palace behind a named broker, if it is connected already. */
  there?: ConnectedService;
  /** Starts the model that texts are filed with; by default in this process. */
  startEmbedder?: (options: EmbedderOptions & { modelId: string }) => Promise<Embedder>;
}

/** Begins a run of a program. An error of its output is reported from here on. */
export function begin(call: Call, json = false): void {
  watchOutput(call.io, (error) => report(unwritable(error), { flags: { json }, call }));
  beginCall(call);
}

function unwritable(error: Error): UserError {
  return new UserError('failed', `the output cannot be written: ${error.message}`, {
    hint: 'if the disk is full, free some space, or write the output elsewhere',
    cause: error,
  });
}

/** Returns the exit code if it is not 0. */
type Work<Context, Flags, Args extends unknown[]> = (
  context: Context,
  flags: Flags,
  ...args: Args
) => Promise<number | undefined> | Promise<void>;

interface ActionOptions {
  /** It needs the files of the palace: it is refused where the user named a broker. */
  here?: boolean;
  /** What documents and runs call it, where that is not its whole name. */
  signs?: string;
}

/** The action of a command. */
export function action<Flags extends CommonFlags, Args extends unknown[]>(
  work: Work<ProgramContext, Flags, Args>,
  { here = false, signs }: ActionOptions = {},
): (...given: unknown[]) => Promise<void> {
  return (...given) => {
    const { flags, args } = parted<Flags, Args>(given);
    const command = current?.path ?? '';
    return performBare(flags, async (context) => {
      const { env } = context;
      const { loadConfig, namesBroker, useZone } = await import('../../config/index.js');
      const config = await loadConfig({ env, folders: resolveFolders(env), flags: { palace: flags.palace } });
      useZone(config);
      // From here on this is the palace, whether a flag, a variable or the file named it.
      flags.palace = config.palace;
      if (here && namesBroker(config)) throw (await import('./broker.js')).notThere(config, command);
      const withConfig = { ...context, config, folders: resolveFolders(env, config.palace) };
      return work(answering(withConfig, signs ?? command, flags), flags, ...args);
    });
  };
}

/** `action`, of a module that is loaded when it is called. */
export function lazily<Flags extends CommonFlags, Args extends unknown[]>(
  load: () => Promise<Work<ProgramContext, Flags, Args>>,
  options?: ActionOptions,
): (...given: unknown[]) => Promise<void> {
  return action<Flags, Args>(async (...all) => {
    const code = await (await load())(...all);
    return typeof code === 'number' ? code : undefined;
  }, options);
}

/** `action`, for a command that works without a valid configuration file. */
export function bareAction<Flags extends CommonFlags, Args extends unknown[]>(
  work: Work<BareContext & Answering, Flags, Args>,
): (...given: unknown[]) => Promise<void> {
  return (...given) => {
    const { flags, args } = parted<Flags, Args>(given);
    const command = current?.path ?? '';
    return performBare(flags, async (context) => work(answering(context, command, flags), flags, ...args));
  };
}

function answering<Context extends BareContext>(
  context: Context,
  command: string,
  { dryRun }: CommonFlags & { dryRun?: boolean },
): Context & Answering {
  const signed = { command, ...(dryRun === true && { dry_run: true }) };
  return { ...context, command, answer: (document) => context.terminal.json({ ...signed, ...document }) };
}

/** @param given arguments, flags, and the command itself */
function parted<Flags, Args extends unknown[]>(given: unknown[]): { flags: Flags; args: Args } {
  return { flags: given.at(-2) as Flags, args: given.slice(0, -2) as Args };
}

/**
 * Runs the work of a command with a terminal, a log and signals; reports errors and sets the exit code.
 *
 * @param onSignal called at once on the first SIGINT or SIGTERM; by default it prints that the work stops
 */
export async function performBare(
  flags: CommonFlags,
  work: (context: BareContext) => Promise<unknown>,
  onSignal: (flags: CommonFlags, io: Io) => void = sayStopping,
): Promise<void> {
  if (current === undefined) throw new Error('no call has begun');
  const call = current;
  const { io } = call;
  const { signal, dispose, received } = catchSignals(() => onSignal(flags, io));
  const startedAt = performance.now();
  let log: Log | undefined;
  try {
    log = await openLog(flags, call);
    await loadColours(io);
    const terminal = new Terminal(
      io,
      {
        json: flags.json === true,
        quiet: flags.quiet === true,
        verbose: flags.verbose === true,
        color: flags.color !== false,
      },
      log,
    );
    log?.write('info', 'begins');
    log?.write('debug', `arguments: ${JSON.stringify(call.argv)}`);
    const { env } = io;
    const code = await work({ terminal, env, folders: resolveFolders(env, flags.palace), signal });
    if (typeof code === 'number') call.exitCode = code;
    if (call.bare !== undefined && flags.json !== true) terminal.note(`more commands: ${call.bare} --help`);
  } catch (error) {
    call.exitCode = report(asInterruption(error, signal), { flags, call, received: received(), log });
  } finally {
    log?.write('info', `exit ${call.exitCode}, ${Math.round(performance.now() - startedAt)} ms`);
    log?.close();
    dispose();
  }
}

/** Printed at once, since stopping in order may take a second. */
function sayStopping({ json, quiet }: CommonFlags, { stderr }: Io): void {
  if (json === true || quiet === true) return;
  // A progress bar leaves the cursor at the end of its line.
  const start = stderr.isTTY ? '\r\u001b[K' : '';
  stderr.write(`${start}stopping; finished work is kept (press Ctrl-C again to stop at once)\n`);
}

/** Does not load the log's module if nothing is to be logged. */
export async function openLog(
  flags: LogFlags,
  { path, io: { env, stderr } }: Call,
): Promise<Log | undefined> {
  const { MEMPALACE_LOG_FILE: file = '', MEMPALACE_LOG_LEVEL: level = '' } = env;
  if (flags.logFile === undefined && flags.logLevel === undefined && file === '' && level === '') {
    return undefined;
  }
  const { Log, logConfig } = await import('../../terminal/logging/log.js');
  const config = logConfig(flags, env, resolveFolders(env).home);
  return new Log(config, path, (message) => stderr.write(`warning: ${plain(message)}\n`));
}
