import { messageOf } from '../../../core/errors.js';
import { line } from '../../../terminal/terminal.js';
import type { CommandContext } from '../../app/runner.js';
import { summariseNow } from './run.js';

/** Wait for another process that summarises, milliseconds. */
const LOCK_MS = 600_000;

/**
 * Summarises sessions that ended. A model that does not answer is no failure of the filing: it is a warning, and the next
 * `mempalace summarise` tries again.
 *
 * @param sessions keys of their sources
 */
export async function summariseEnded(
  sessions: readonly string[],
  context: CommandContext,
): Promise<{ filed: number; left: number; problem: string | null }> {
  const { terminal, signal } = context;
  let filed = 0;
  try {
    for (const session of new Set(sessions)) {
      const asked = { session, limit: 1 };
      const { made, stopped, problems } = await summariseNow(context, asked, { lockMs: LOCK_MS });
      filed += made.length;
      const problem = stopped?.message ?? problems[0]?.reason;
      if (problem !== undefined) throw new Error(problem);
    }
    return { filed, left: 0, problem: null };
  } catch (error) {
    signal.throwIfAborted();
    const problem = line(messageOf(error));
    terminal.warn(`sessions are filed without a summary: ${problem}`);
    return { filed, left: new Set(sessions).size - filed, problem };
  }
}
