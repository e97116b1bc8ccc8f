import type { MineOptions, MineResult } from '../../miner/mining.js';
import { fileBatches, type OpenRun, type RunIdentity, type RunOutcome, withRun } from './filing.js';
import type { Known } from './known.js';
import { filingModel } from './palace-model.js';
import type { CommandContext } from './runner.js';

export interface FilingOptions
  extends Pick<
    MineOptions,
    'batches' | 'addedBy' | 'sanitiser' | 'force' | 'allowRemovals' | 'limit' | 'timeIsUp' | 'checkpoints'
  > {
  /** What `timeIsUp` leaves, milliseconds. */
  maxMs?: number | undefined;
}

/** The palace of a run: on this machine, or behind a named broker. */
export interface Destination {
  known: Known;
  /** Absent for a palace behind a named broker. */
  open?: OpenRun;
  file(options: FilingOptions): Promise<MineResult>;
}

/** Runs `work` for the palace of this machine, as a recorded run. @throws UserError as `withRun` does */
export function fileHere(
  identity: RunIdentity & { waitMs: number },
  context: CommandContext,
  work: (destination: Destination) => Promise<RunOutcome>,
): Promise<number> {
  const model = () => filingModel(context.folders.palace, context);
  return withRun({ ...identity, model }, context, (open) => {
    const { palace } = open;
    return work({
      known: palace,
      open,
      file: (options) => fileBatches(open, options, context),
    });
  });
}
