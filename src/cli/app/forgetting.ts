import { eraseStaged } from '../../feeders/staging/erase-staged.js';
import { forget } from '../../maintenance/forget.js';
import { type ForgetRequest, meantNow, namesOf } from '../../maintenance/forgettable.js';
import type { Forgotten } from '../../service/contract/index.js';
import { EXIT } from './exit.js';
import { withRun } from './filing.js';
import type { CommandContext } from './runner.js';

const COMMAND = 'mempalace forget';

/** Whether some of it may remain. */
export function isIncomplete({ unknown, logEmptied }: Pick<Forgotten, 'unknown' | 'logEmptied'>): boolean {
  return unknown.length > 0 || !logEmptied;
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
    const bar = await terminal.progress('erasing');
    const result = await forget(palace, meant, {
      now: run.now,
      removeBackups: asked.removeBackups,
      eraseStaged: async () => {
        const traces = [...sources, ...tombstones];
        staged = await eraseStaged({ cache: folders.cache, traces, command: COMMAND, waitMs, signal });
      },
      onProgress: (done, total) => bar.update(done, total, 'sources'),
    }).finally(() => bar.stop());
    done.push({ ...result, sources: namesOf(sources), alreadyForgotten: tombstones.length, staged });
    return {
      exitCode: isIncomplete(result) ? EXIT.incomplete : EXIT.done,
      counts: { forgotten: sources.length, drawers_removed: result.drawers, staged_removed: staged },
      skipped: [],
    };
  });
  const [forgotten] = done;
  if (forgotten === undefined) throw new Error('a run without a result');
  return forgotten;
}
