import type { Batch } from '../../../core/contract.js';
import type { Palace } from '../../../store/index.js';
import { exitCodeFor } from '../../app/filing.js';
import { countReasons, printSkips, problemsOf } from '../../app/summary.js';
import { line, type Terminal } from '../../terminal/terminal.js';

/** What filing these batches would do, from reading alone. Returns the exit code. */
export async function dryRunBatches(
  given: Batch[],
  options: {
    command: string;
    /** Undefined where there is none yet. */
    palace: Palace | undefined;
    force: boolean;
    allowRemovals?: boolean | undefined;
    /** Further fields of the JSON document. */
    more?: Record<string, unknown>;
  },
  terminal: Terminal,
): Promise<number> {
  const { command, palace, force, allowRemovals = false, more = {} } = options;
  const [{ planBatch, withoutTwins }, { planRemovals }] = await Promise.all([
    import('../../../miner/plan.js'),
    import('../../../miner/removals.js'),
  ]);
  const { batches, twins } = withoutTwins(given);
  const plans = batches.map((batch) => planBatch(batch, palace, force));
  const removals =
    palace === undefined ? [] : batches.map((batch) => planRemovals(batch, palace, allowRemovals));
  const skips = [
    ...batches.flatMap((batch) => batch.skipped),
    ...twins,
    ...plans.flatMap((plan) => plan.forgotten),
    ...removals.flatMap(({ heldBack }) => heldBack ?? []),
  ];
  const toFile = plans.flatMap((plan) => plan.toFile);
  const added = toFile.filter(({ filed }) => filed === undefined);
  const result = {
    command,
    dry_run: true,
    sources: toFile.map(({ source, filed }) => ({
      source_file: source.sourceFile,
      status: filed === undefined ? 'new' : 'changed',
    })),
    new: added.length,
    changed: toFile.length - added.length,
    unchanged: plans.reduce((sum, plan) => sum + plan.unchanged, 0),
    removed: removals.reduce((sum, { sources }) => sum + sources.length, 0),
    skipped: skips.length,
    skipped_by_reason: countReasons(skips),
    problems: problemsOf(skips),
    drawers_added: 0,
    drawers_total: palace?.drawerCount() ?? 0,
    ...more,
  };
  if (terminal.options.json) {
    terminal.json(result);
  } else {
    for (const { source_file, status } of result.sources)
      terminal.say(`would file ${status.padEnd(8)} ${line(source_file)}`);
    printSkips(terminal, skips);
    terminal.say(
      `would file: ${result.new} new, ${result.changed} changed, ${result.unchanged} unchanged, ${result.removed} removed`,
    );
  }
  return exitCodeFor(skips);
}
