import { UserError } from '../../core/errors.js';
import { plain, type Terminal } from '../terminal/terminal.js';

export interface ConfirmOptions {
  /** --yes: nothing is asked. */
  yes: boolean;
  terminal: Terminal;
  /** What to type where the question cannot be asked. */
  hint: string;
  /** Printed when the user declines. */
  declined?: string;
  signal?: AbortSignal;
}

export function canAsk(terminal: Terminal): boolean {
  return terminal.io.stdin.isTTY === true && terminal.io.stderr.isTTY === true && !terminal.options.quiet;
}

/**
 * Asks on stderr and reads the answer from stdin. Only `y` and `yes` agree. Nothing is asked if stdin or stderr
 * is not a terminal, or under --quiet.
 *
 * @throws UserError `usage` with the hint if the question cannot be asked and `yes` is false; `interrupted`
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
  // Without this, the end of the input would leave the question pending; readline also catches Ctrl-C itself.
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
