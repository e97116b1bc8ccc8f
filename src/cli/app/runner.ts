import type { Config } from '../../config/index.js';
import { resolveFolders } from '../../platform/folders.js';
import type { Io } from '../terminal/io.js';
import { plain, Terminal } from '../terminal/terminal.js';
import { type Call, current } from './call.js';
import { asInterruption, report } from './failure.js';
import type { Log } from './logging/log.js';
import type { CommonFlags } from './options.js';
import { catchSignals } from './signals.js';

/** What a command gets that must work whatever the configuration file holds. */
export interface BareContext {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** What a command gets besides its flags. */
export interface CommandContext extends BareContext {
  config: Config;
}

/** `performBare`, with the configuration; `flags.palace` becomes the palace in force. */
export function perform(
  flags: CommonFlags,
  work: (context: CommandContext) => Promise<number>,
): Promise<void> {
  return performBare(flags, async (context) => {
    const { env } = context;
    const { loadConfig } = await import('../../config/index.js');
    const config = await loadConfig({ env, folders: resolveFolders(env), flags: { palace: flags.palace } });
    // A flag, a variable or the file may have named it: from here on it is the palace.
    flags.palace = config.palace;
    return work({ ...context, config });
  });
}

/**
 * Wraps the work of a command: a terminal, signals, and errors as sentences with their exit code. What is
 * not a `UserError` is a bug; it says so, with its stack only under --debug.
 *
 * @param onSignal called at once on the first SIGINT or SIGTERM; by default it says that the work stops
 */
export async function performBare(
  flags: CommonFlags,
  work: (context: BareContext) => Promise<number>,
  onSignal: (flags: CommonFlags, io: Io) => void = sayStopping,
): Promise<void> {
  const call = current;
  const { io } = call;
  const { signal, dispose, received } = catchSignals(() => onSignal(flags, io));
  const startedAt = performance.now();
  let log: Log | undefined;
  try {
    log = await openLog(flags, call);
    const terminal = new Terminal(
      io,
      {
        json: flags.json === true,
        quiet: flags.quiet === true,
        verbose: flags.verbose === true,
        color: flags.color,
      },
      log,
    );
    log?.write('info', 'begins');
    log?.write('debug', `arguments: ${JSON.stringify(call.argv)}`);
    await terminal.prepare();
    call.exitCode = await work({ terminal, env: io.env, signal });
  } catch (error) {
    call.exitCode = report(asInterruption(error, signal), { flags, call, received: received(), log });
  } finally {
    log?.write('info', `exit ${call.exitCode}, ${Math.round(performance.now() - startedAt)} ms`);
    log?.close();
    dispose();
  }
}

/** Said at once: to stop in order may take a second. */
function sayStopping({ json, quiet }: CommonFlags, { stderr }: Io): void {
  if (json === true || quiet === true) return;
  // A progress bar leaves the cursor at the end of its line.
  const start = stderr.isTTY ? '\r\u001b[K' : '';
  stderr.write(`${start}stopping; what was done stays (Ctrl-C again ends at once)\n`);
}

/** Undefined where nothing is to be logged, and nothing is loaded then. */
async function openLog(flags: CommonFlags, { name, io: { env, stderr } }: Call): Promise<Log | undefined> {
  const { MEMPALACE_LOG_FILE: file = '', MEMPALACE_LOG_LEVEL: level = '' } = env;
  if (flags.logFile === undefined && flags.logLevel === undefined && file === '' && level === '') {
    return undefined;
  }
  const { Log, logConfig } = await import('./logging/log.js');
  const config = logConfig(flags, env, resolveFolders(env).home);
  return new Log(config, name, (message) => stderr.write(`warning: ${plain(message)}\n`));
}
