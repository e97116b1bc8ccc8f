import { UserError } from '../../core/errors.js';
import { plain, type Terminal } from '../terminal/terminal.js';

export interface ConfirmOptions {
  /** Agreed to already (--yes): nothing is asked. */
  yes: boolean;
  terminal: Terminal;
  /** What to type where nobody can be asked. */
  hint: string;
  /** Said when the user does not agree. */
  declined?: string;
  /** Of the command: an interrupted question is an interrupted command. */
  signal?: AbortSignal;
}

/** Whether there is somebody to ask. */
export function canAsk(terminal: Terminal): boolean {
  return terminal.io.stdin.isTTY === true && terminal.io.stderr.isTTY === true && !terminal.options.quiet;
}

/**
 * Asks on stderr and reads the answer from stdin. Only `y` and `yes` agree; an empty line, anything else and the
 * end of the input do not. Nobody is asked where stdin or stderr is no terminal, or under --quiet.
 *
 * @throws UserError `usage` with the hint when nobody can be asked and `yes` is false; `interrupted`
 */
export async function confirm(question: string, options: ConfirmOptions): Promise<boolean> {
  const { yes, terminal, hint, declined, signal } = options;
  if (yes) return true;
  if (!canAsk(terminal)) {
    throw new UserError('usage', 'confirmation is required, and this is not an interactive terminal', {
      hint,
    });
  }
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: terminal.io.stdin, output: terminal.io.stderr });
  const end = new AbortController();
  const decline = () => {
    if (declined !== undefined) terminal.note(declined);
  };
  const stop = () => end.abort();
  signal?.addEventListener('abort', stop);
  // An input that ends leaves the question open for ever, and readline takes Ctrl-C for itself.
  lines.once('close', stop);
  lines.once('SIGINT', () => (signal === undefined ? stop() : process.kill(process.pid, 'SIGINT')));
  try {
    const answer = await lines.question(`${plain(question)} [y/N] `, { signal: end.signal });
    const agreed = /^y(es)?$/i.test(answer.trim());
    if (!agreed) decline();
    return agreed;
  } catch (error) {
    if (signal?.aborted === true)
      throw new UserError('interrupted', 'interrupted', { hint: 'nothing was done', cause: error });
    if (!end.signal.aborted) throw error;
    decline();
    return false;
  } finally {
    signal?.removeEventListener('abort', stop);
    lines.close();
  }
}
