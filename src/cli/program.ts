import { type Argument, Command, CommanderError, Option } from 'commander';
import { isSystemError, messageOf, UserError } from '../common/errors.js';
import { resolveFolders } from '../common/folders.js';
import type { Config } from '../config/index.js';
import { brokenInstall } from './broken-install.js';
import { EXIT, EXIT_HELP, exitCodeOf } from './exit.js';
import { forJournal, stderrIsJournal } from './journal.js';
import type { Log } from './log.js';
import { LOG_LEVELS } from './log-levels.js';
import { endWhenReaderLeaves, jsonText, plain, Terminal } from './terminal.js';
import { COMMIT, VERSION, VERSION_TEXT } from './version.js';

/** Flags that every command takes. */
export interface CommonFlags {
  palace?: string;
  json?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  debug?: boolean;
  /** Commander's negation of --no-color. */
  color: boolean;
  logFile?: string;
  logLevel?: string;
}

/** Flags of every command that files. */
export interface FilingFlags extends CommonFlags {
  force?: boolean;
  wait: string;
  redact: boolean;
  maxDuration?: string;
}

/** What a command gets that must work whatever the configuration file holds. */
export interface BareSession {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** What a command gets besides its flags. */
export interface Session extends BareSession {
  config: Config;
}

/** A command; `withCommonOptions` adds what all have in common. */
export function createCommand(name: string, description: string): Command {
  return new Command(name).description(description);
}

export function withFilingOptions(command: Command): Command {
  return command
    .option('--force', 'do everything again, also what has not changed')
    .option('--wait <duration>', 'how long to wait for another run', '10s')
    .option('--no-redact', 'keep secrets as they are (they will be found by search)');
}

/** Gathers the values of an option that may be given more than once; its description says `(repeatable)`. */
export const repeatable = (value: string, previous: string[] = []): string[] => [...previous, value];

/**
 * An option with fixed values, for help, completion and manuals. The parser lets every value pass: the command
 * refuses a wrong one itself, in the words of its other errors.
 */
export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).argParser((value: string) => value);
}

/** The heading of the options that every command takes. */
export const COMMON_OPTIONS = 'Options of every command:';

/** Ends the declaration of a program: added last, so that `--help` names a command's own options first. */
export function withCommonOptions(program: Command): Command {
  for (const command of [program, ...program.commands]) addCommonOptions(command);
  return program;
}

/** For what runs on a schedule. */
export function withTimeLimit(command: Command): Command {
  return command.option(
    '--max-duration <duration>',
    'end in order after this time, such as 2h; what was done stays, the next run goes on (exit 3)',
  );
}

/** The program and command that runs, as the log calls it. */
let running = 'mempalace';

function addCommonOptions(command: Command): void {
  command
    .optionsGroup(COMMON_OPTIONS)
    .option(
      '--palace <folder>',
      'the palace (default: $MEMPALACE_PALACE_PATH, config.yaml, ~/.mempalace/palace)',
    )
    .option('--json', 'print one JSON document')
    .option('-q, --quiet', 'print errors and the data asked for only')
    .option('-v, --verbose', 'print every detail')
    .option('--debug', 'print stack traces')
    .option('--no-color', 'no colours (NO_COLOR does the same)')
    .option('--log-file <file>', 'log there too, rotated (default: $MEMPALACE_LOG_FILE, else nowhere)')
    .addOption(
      choiceOption('--log-level <level>', 'how much (default: $MEMPALACE_LOG_LEVEL, else info)', LOG_LEVELS),
    )
    .option('--version', 'print the version, and the commit it was built from')
    .configureHelp({ subcommandTerm: termOf })
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXIT_HELP)
    .showSuggestionAfterError(true)
    .exitOverride();
}

/** A command in the list of commands: that it takes options goes without saying. */
function termOf(command: Command): string {
  return [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' ');
}

/** An argument as usage shows it: `<dir>`, `[question...]`. */
export function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** Runs a command's work and sets its exit code; the launchers do nothing else. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<void> {
  endWhenReaderLeaves();
  let failing = program;
  for (const command of [program, ...program.commands]) {
    command.on('option:version', () => printVersion(wantsJson(argv)));
    command.configureOutput({
      outputError: () => {
        failing = command;
      },
    });
  }
  // A flag that every command takes may stand before the command's name too.
  program.hook('preAction', (_, command) => {
    running = [command.parent?.name(), command.name()].filter(Boolean).join(' ');
  });
  program.enablePositionalOptions().hook('preSubcommand', (_, command) => {
    for (const [name, value] of Object.entries(program.opts())) {
      if (program.getOptionValueSource(name) === 'cli') command.setOptionValueWithSource(name, value, 'cli');
    }
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
    // Help has been printed already, be it that it was asked for or that no command was named.
    if (error.code.startsWith('commander.help') || error.exitCode === 0) return;
    report(usageError(error, failing), { json: wantsJson(argv), color: true }, undefined);
  }
}

/** Whether --json is among the flags, whatever the parser makes of the rest. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
}

function printVersion(json: boolean): never {
  const text = json ? jsonText({ version: VERSION, commit: COMMIT }) : VERSION_TEXT;
  process.stdout.write(`${text}\n`);
  throw new CommanderError(EXIT.done, 'commander.version', VERSION_TEXT);
}

/** What the parser says of a wrong command line, in the form of all errors. */
function usageError(error: CommanderError, command: Command): UserError {
  const [first = '', ...more] = error.message.split('\n');
  const message = first.replace(/^error: /, '').replace(/\.$/, '');
  const suggestion = /^\(Did (.*)\)$/s.exec(more.join(' '))?.[1];
  const path = [command.parent?.name(), command.name()].filter(Boolean).join(' ');
  const dashed = error.code === 'commander.unknownOption' && command.name() === 'search';
  const help = dashed
    ? `a question that starts with a dash comes after --: ${path} -- "-x"`
    : `${path} --help shows how`;
  return new UserError('usage', message, { hint: suggestion === undefined ? help : `did ${suggestion}` });
}

/** `performBare`, with the configuration; `flags.palace` becomes the palace in force. */
export function perform(flags: CommonFlags, work: (session: Session) => Promise<number>): Promise<void> {
  return performBare(flags, async (session) => {
    const { env } = session;
    const { loadConfig } = await import('../config/index.js');
    const config = await loadConfig({ env, folders: resolveFolders(env), flags: { palace: flags.palace } });
    // Whoever named it, flag, variable or file: from here on it is the palace.
    flags.palace = config.palace;
    return work({ ...session, config });
  });
}

/**
 * Wraps the work of a command: a terminal, signals, and errors as sentences with their exit code. What is
 * not a `UserError` is a bug; it says so, with its stack only under --debug.
 */
export async function performBare(
  flags: CommonFlags,
  work: (session: BareSession) => Promise<number>,
): Promise<void> {
  const { signal, dispose, received } = catchSignals();
  const startedAt = performance.now();
  let log: Log | undefined;
  try {
    log = await openLog(flags);
    const terminal = new Terminal(
      {
        json: flags.json === true,
        quiet: flags.quiet === true,
        verbose: flags.verbose === true,
        color: flags.color,
      },
      log,
    );
    log?.write('info', 'begins');
    log?.write('debug', `arguments: ${JSON.stringify(process.argv.slice(2))}`);
    await terminal.prepare();
    process.exitCode = await work({ terminal, env: process.env, signal });
  } catch (error) {
    process.exitCode = report(asInterruption(error, signal), flags, received(), log);
  } finally {
    log?.write('info', `exit ${process.exitCode}, ${Math.round(performance.now() - startedAt)} ms`);
    log?.close();
    dispose();
  }
}

/** Undefined where nothing is to be logged, and nothing is loaded then. */
async function openLog(flags: CommonFlags): Promise<Log | undefined> {
  const { MEMPALACE_LOG_FILE: file = '', MEMPALACE_LOG_LEVEL: level = '' } = process.env;
  if (flags.logFile === undefined && flags.logLevel === undefined && file === '' && level === '') {
    return undefined;
  }
  const { Log, logConfig } = await import('./log.js');
  const config = logConfig(flags, process.env, resolveFolders(process.env).home);
  return new Log(config, running, (message) => process.stderr.write(`warning: ${plain(message)}\n`));
}

function report(error: unknown, flags: CommonFlags, received: NodeJS.Signals | undefined, log?: Log): number {
  const known = brokenInstall(error) ?? (error instanceof UserError ? error : machineError(error));
  const exitCode = known === undefined ? EXIT.failed : exitCodeOf(known.code);
  const code = received === 'SIGTERM' && known?.code === 'interrupted' ? EXIT.terminated : exitCode;
  const message = known?.message ?? `this is a bug in mempalace-toolkit: ${String(error)}`;
  const hint = known === undefined ? 'run again with --debug and report what it prints' : known.hint;
  if (flags.json === true) {
    const body = {
      code: known?.code ?? 'bug',
      message,
      ...(hint === undefined ? {} : { hint }),
      exit_code: code,
    };
    process.stderr.write(`${jsonText({ error: body })}\n`);
  } else {
    const text = `error: ${plain(message)}${hint === undefined ? '' : `\n  hint: ${plain(hint)}`}`;
    process.stderr.write(`${stderrIsJournal(process.env) ? forJournal('error', text) : text}\n`);
  }
  if (known === undefined) {
    // What a bug throws may hold anything.
    log?.write('error', 'a bug, see the debug level');
    log?.write('debug', error instanceof Error ? (error.stack ?? message) : message);
  } else {
    log?.write('error', `${known.code}: ${withoutArguments(known.message)}`);
  }
  if (flags.debug === true && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`);
  return code;
}

/** A title that was asked for is quoted back to whoever typed it, not to the log. */
function withoutArguments(message: string): string {
  const given = process.argv.slice(2).filter((text) => text.length > 1 && !text.startsWith('-'));
  if (!running.startsWith('mempalace ')) return message;
  return given.reduce((text, part) => text.replaceAll(part, '…'), message);
}

/** What the machine refuses may happen in any step, and is no bug: said as the system says it, with a cure. */
function machineError(error: unknown): UserError | undefined {
  if (!isSystemError(error) || !(error instanceof Error) || !('code' in error)) return undefined;
  const hint = MACHINE_ERRORS[String(error.code)];
  return hint === undefined ? undefined : new UserError('failed', messageOf(error), { hint });
}

const OURS = 'check that it is yours, and writable where something is written';
const FULL = 'make room on the disk, then run the command again: what was filed stays';
const TOO_MANY_FILES = 'too many files are open (ulimit -n); close other programs or raise the limit';
const MACHINE_ERRORS: Record<string, string> = {
  EACCES: OURS,
  EPERM: OURS,
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a file lies where a folder is wanted',
  ENOSPC: FULL,
  EDQUOT: FULL,
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES,
  EIO: 'the disk or the network drive does not answer as it should',
};

/** Libraries that heed a signal throw an error of their own when it aborts. */
function asInterruption(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted && error instanceof Error && error.name === 'AbortError' ? signal.reason : error;
}

/** The first SIGINT or SIGTERM asks the work to stop in order; a second one ends at once. */
function catchSignals(): {
  signal: AbortSignal;
  dispose: () => void;
  received: () => NodeJS.Signals | undefined;
} {
  const controller = new AbortController();
  let received: NodeJS.Signals | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    if (received !== undefined) process.exit(name === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted);
    received = name;
    controller.abort(
      new UserError('interrupted', 'interrupted', {
        hint: 'what was filed stays; run the command again to go on',
      }),
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    received: () => received,
    dispose: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
