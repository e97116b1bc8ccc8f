import type { ForgetRequest } from '../../core/forgotten.js';
import { eraseStaged } from '../../feeders/staging/erase-staged.js';
import { forget } from '../../maintenance/forget.js';
import { meantNow, namesOf } from '../../maintenance/forgettable.js';
import { COMMAND, type Forgotten } from '../../operations/forgetting.js';
import { EXIT } from './exit.js';
import { withRun } from './filing.js';
import type { CommandContext } from './runner.js';

/** Whether some of it may remain. */
export function isIncomplete({ unknown, log_emptied }: Pick<Forgotten, 'unknown' | 'log_emptied'>): boolean {
  return unknown.length > 0 || !log_emptied;
}

/**
 * Forgets sources in a recorded run: in the cache, the palace and its kept backups.
 *
 * @throws UserError as `withRun`, `meantNow` and `forget` do
 */
export async function forgetInRun(
  asked: ForgetRequest,
  waitMs: number,
  context: CommandContext,
): Promise<Forgotten> {
  const { terminal, signal, folders } = context;
  const done: Forgotten[] = [];
  await withRun({ command: COMMAND, waitMs }, context, async ({ palace, run }) => {
    const meant = meantNow(palace, asked);
    const { sources, tombstones } = meant;
    let staged = 0;
    const result = await terminal.during('erasing', ({ update }) =>
      forget(palace, meant, {
        now: run.now,
        removeBackups: asked.backups,
        eraseStaged: async () => {
          const traces = [...sources, ...tombstones];
          staged = await eraseStaged({ cache: folders.cache, traces, command: COMMAND, waitMs, signal });
        },
        onProgress: (done, total) => update(done, total, 'sources'),
      }),
    );
    const { drawers, facts, backups, unknown, logEmptied: log_emptied } = result;
    const forgotten: Forgotten = {
      command: COMMAND,
      sources: namesOf(sources),
      already_forgotten: tombstones.length,
      ...{ drawers_removed: drawers, facts_removed: facts, staged_removed: staged },
      ...{ backups, unknown, log_emptied },
    };
    done.push(forgotten);
    return {
      exitCode: isIncomplete(forgotten) ? EXIT.incomplete : EXIT.done,
      counts: { forgotten: sources.length, drawers_removed: drawers, staged_removed: staged },
      skipped: [],
    };
  });
  const [forgotten] = done;
  if (forgotten === undefined) throw new Error('a run without a result');
  return forgotten;
}
