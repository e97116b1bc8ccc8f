import { isSystemError, messageOf, UserError } from '../../core/errors.js';
import type { Document } from '../../rest/documents.js';
import { columnsOf, painterFor } from '../../terminal/io.js';
import { forJournal, stderrIsJournal } from '../../terminal/logging/journal.js';
import type { Log } from '../../terminal/logging/log.js';
import { jsonText, plain } from '../../terminal/terminal.js';
import { wrap } from '../../terminal/wrap.js';
import { brokenInstall } from './broken-install.js';
import type { Call } from './call.js';
import { EXIT, exitCodeOf } from './exit.js';
import type { CommonFlags } from './options.js';

interface Failing {
  flags: Pick<CommonFlags, 'json' | 'debug'> & { color?: boolean };
  call: Call;
  received?: NodeJS.Signals | undefined;
  log?: Log | undefined;
}

/**
 * Prints an error as a sentence with a hint, or as JSON. An error that is not a `UserError` is reported as a bug,
 * with its stack only under --debug.
 *
 * @returns the exit code
 */
export function report(error: unknown, { flags, call, received, log }: Failing): number {
  const { stderr, env } = call.io;
  const known = knownError(error);
  const document = errorDocument(error, received);
  const { message, hint, exit_code: code } = document.error;
  if (flags.json === true) stderr.write(`${jsonText(document)}\n`);
  else {
    const rest = ` ${indented(message)}${hint === undefined ? '' : `\n  hint: ${indented(hint)}`}`;
    const text = stderrIsJournal(env)
      ? forJournal('error', `error:${rest}`)
      : wrap(painterFor(stderr, env, flags.color !== false)('red', 'error:') + rest, columnsOf(stderr));
    stderr.write(`${text}\n`);
  }
  if (known === undefined) {
    // The message of a bug may contain any text, even secrets.
    log?.write('error', 'a bug, see the debug level');
    log?.write('debug', error instanceof Error ? (error.stack ?? message) : message);
  } else log?.write('error', `${known.code}: ${withoutArguments(known.message, call)}`);
  if (flags.debug === true && error instanceof Error) stderr.write(`${error.stack ?? ''}\n`);
  return code;
}

/** @param received the signal that ended the command */
export function errorDocument(error: unknown, received?: NodeJS.Signals): Document<'error'> {
  const known = knownError(error);
  const ended = received === 'SIGTERM' && known?.code === 'interrupted';
  const hint = known === undefined ? 'run again with --debug and report what it prints' : known.hint;
  return {
    error: {
      code: known?.code ?? 'bug',
      message: known?.message ?? `this is a bug in mempalace-toolkit: ${String(error)}`,
      ...(hint === undefined ? {} : { hint }),
      exit_code: ended ? EXIT.terminated : known === undefined ? EXIT.failed : exitCodeOf(known.code),
    },
  };
}

/** A name in a message may contain line breaks; no text of it starts at the beginning of a line. */
function indented(text: string): string {
  return plain(text).replaceAll('\n', '\n    ');
}

/** The error with a message and a hint for the user; undefined for a bug. */
export function knownError(error: unknown): UserError | undefined {
  return brokenInstall(error) ?? (error instanceof UserError ? error : machineError(error));
}

/** Messages on the terminal may quote arguments, such as a title; the log does not. */
function withoutArguments(message: string, { path, argv }: Call): string {
  if (!/^mempalace(?: |$)/.test(path)) return message;
  const given = argv.map((text) => /^--[\w-]+=(.*)$/s.exec(text)?.[1] ?? text);
  return given
    .filter((text) => text.length > 1 && !text.startsWith('-'))
    .flatMap((text) => [JSON.stringify(text).slice(1, -1), text])
    .reduce((text, part) => text.replaceAll(part, '…'), message);
}

/** An error of the operating system is not a bug: its own message with a hint. */
function machineError(error: unknown): UserError | undefined {
  if (!isSystemError(error) || !(error instanceof Error) || !('code' in error)) return undefined;
  const hint = MACHINE_ERRORS[String(error.code)];
  return hint === undefined ? undefined : new UserError('failed', messageOf(error), { hint });
}

const OURS = 'check the owner and the permissions of the file or folder';
const FULL = 'free space on the disk, then run the command again; everything filed so far is kept';
const VANISHED =
  'a file disappeared while the command ran; run the command again; everything filed so far is kept';
const TOO_MANY_FILES = 'too many files are open (ulimit -n); close other programs or raise the limit';
const MACHINE_ERRORS: Record<string, string> = {
  EACCES: OURS,
  EPERM: OURS,
  EROFS: 'the file system is read-only',
  ENOENT: VANISHED,
  ENOTEMPTY: 'another program also writes there; run the command again; everything filed so far is kept',
  ENOTDIR: 'there is a file where a folder is needed',
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: 'the file is too large (ulimit -f, or a limit of the file system)',
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES,
  EIO: 'the disk or the network drive reports an error',
};

/** Libraries throw their own error when a signal aborts. */
export function asInterruption(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted && error instanceof Error && error.name === 'AbortError' ? signal.reason : error;
}
