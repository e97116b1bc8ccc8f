import { UserError } from '../../core/errors.js';
import { plain, type Terminal } from '../../terminal/terminal.js';
import type { BareContext } from './runner.js';

export function canAsk(terminal: Terminal): boolean {
  return terminal.io.stdin.isTTY === true && terminal.io.stderr.isTTY === true && !terminal.options.quiet;
}

/**
 * Asks on stderr and reads the answer from stdin. Only `y` and `yes` agree, and an empty answer to a question whose usual
 * answer is yes. Nothing is asked if stdin or stderr
 * is not a terminal, or under --quiet.
 *
 * @param yes --yes: nothing is asked
 * @throws UserError `usage` if the question cannot be asked and `yes` is false; `interrupted`
 */
export async function confirm(
  question: string,
  yes: boolean | undefined,
  { terminal, signal }: Pick<BareContext, 'terminal' | 'signal'>,
  usual: 'yes' | 'no' = 'no',
): Promise<boolean> {
  if (yes === true) return true;
  if (!canAsk(terminal)) {
    throw new UserError('usage', 'confirmation is required, and this is not an interactive terminal', {
      hint: '--yes agrees without a question, --dry-run shows what would be done',
    });
  }
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: terminal.io.stdin, output: terminal.io.stderr });
  const end = new AbortController();
  const stop = () => end.abort();
  signal.addEventListener('abort', stop);
  // Without this, the end of the input would leave the question pending; readline also catches Ctrl-C itself.
  lines.once('close', stop);
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await lines.question(`${plain(question)} ${usual === 'yes' ? '[Y/n]' : '[y/N]'} `, {
      signal: end.signal,
    });
    if (/^y(es)?$/i.test(answer.trim() || usual)) return true;
  } catch (error) {
    if (signal.aborted)
      throw new UserError('interrupted', 'interrupted', { hint: 'nothing was done', cause: error });
    if (!end.signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    lines.close();
  }
  terminal.note('not confirmed');
  return false;
}
