import { isSystemError, messageOf, UserError } from '../../core/errors.js';
import { columnsOf, paintStderr } from '../terminal/io.js';
import { jsonText, plain } from '../terminal/terminal.js';
import { wrap } from '../terminal/wrap.js';
import { brokenInstall } from './broken-install.js';
import type { Call } from './call.js';
import { EXIT, exitCodeOf } from './exit.js';
import { forJournal, stderrIsJournal } from './logging/journal.js';
import type { Log } from './logging/log.js';
import type { CommonFlags } from './options.js';

/** Of what failed, beside the error itself. */
interface Failing {
  flags: Pick<CommonFlags, 'json' | 'debug'> & { color?: boolean };
  call: Call;
  /** The signal that asked for the end. */
  received?: NodeJS.Signals | undefined;
  log?: Log | undefined;
}

/**
 * Says what went wrong, as a sentence with a hint or as JSON. What is not a `UserError` is a bug; it says so, with
 * its stack only under --debug.
 *
 * @returns the exit code
 */
export function report(error: unknown, { flags, call, received, log }: Failing): number {
  const { stderr, env } = call.io;
  const known = knownError(error);
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
    stderr.write(`${jsonText({ error: body })}\n`);
  } else {
    const rest = ` ${indented(message)}${hint === undefined ? '' : `\n  hint: ${indented(hint)}`}`;
    const text = stderrIsJournal(env)
      ? forJournal('error', `error:${rest}`)
      : wrap(paintStderr('error:', 'red', flags.color !== false, call.io) + rest, columnsOf(stderr));
    stderr.write(`${text}\n`);
  }
  if (known === undefined) {
    // What a bug throws may hold anything.
    log?.write('error', 'a bug, see the debug level');
    log?.write('debug', error instanceof Error ? (error.stack ?? message) : message);
  } else {
    if (log !== undefined) log.write('error', `${known.code}: ${withoutArguments(known.message, call)}`);
  }
  if (flags.debug === true && error instanceof Error) stderr.write(`${error.stack ?? ''}\n`);
  return code;
}

/** A name in a message may have line breaks: what follows one begins no line. */
function indented(text: string): string {
  return plain(text).replaceAll('\n', '\n    ');
}

/** What failed as a sentence with its cure; undefined for a bug. */
export function knownError(error: unknown): UserError | undefined {
  return brokenInstall(error) ?? (error instanceof UserError ? error : machineError(error));
}

/** A title that the user asked for is quoted on the terminal, not in the log. */
function withoutArguments(message: string, { name, argv }: Call): string {
  const given = argv.filter((text) => text.length > 1 && !text.startsWith('-'));
  if (!name.startsWith('mempalace ')) return message;
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
const VANISHED = 'a file disappeared while the command ran; run the command again: what was filed stays';
const TOO_MANY_FILES = 'too many files are open (ulimit -n); close other programs or raise the limit';
const MACHINE_ERRORS: Record<string, string> = {
  EACCES: OURS,
  EPERM: OURS,
  EROFS: 'the file system is read-only',
  ENOENT: VANISHED,
  ENOTEMPTY: 'another program writes there, too; run the command again: what was filed stays',
  ENOTDIR: 'there is a file where a folder is needed',
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: 'files may not grow that large here (ulimit -f, or a file system with a limit of its own)',
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES,
  EIO: 'the disk or the network drive does not answer as it should',
};

/** Libraries that heed a signal throw an error of their own when it aborts. */
export function asInterruption(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted && error instanceof Error && error.name === 'AbortError' ? signal.reason : error;
}
