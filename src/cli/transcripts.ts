import type { Batch } from '../common/contract.js';
import { validateWing } from '../common/wing.js';
import type { FilingConfig } from './filing.js';
import { exitCodeFor, fileBatches, type RunIdentity, withRun } from './filing.js';
import type { Session } from './perform.js';
import { countsOf, printSummary, problemsOf, summarise } from './summary.js';
import { startTimeLimit, timeUpProblems } from './time-limit.js';

interface TranscriptChoice {
  /** Absolute. */
  folder: string;
  /** Of files in it; without them all. */
  names?: readonly string[];
  since?: number | undefined;
  minMessages?: number;
  wing: string | undefined;
  room: string | undefined;
  redact: boolean;
}

/**
 * Transcripts to be read where they lie, each in the wing that holds it already unless one is named.
 *
 * @throws UserError `usage` for a wing
 */
export async function transcriptsOf(
  choice: TranscriptChoice,
  folder: string,
  session: Session,
): Promise<Batch> {
  const [{ Palace }, { transcriptBatch }, { createSanitiser }] = await Promise.all([
    import('../store/index.js'),
    import('../miner/transcripts.js'),
    import('../sanitiser/index.js'),
  ]);
  const { redact, wing, ...which } = choice;
  const sanitiser = await createSanitiser({ redact, rules: session.config.privacy.rules });
  const palace = Palace.readIfAny(folder);
  try {
    return await transcriptBatch({
      ...which,
      wing: wing === undefined ? undefined : validateWing(wing),
      wingOf: (sourceKey) => palace?.sources.byKey(sourceKey)?.wing,
      sanitiser,
    });
  } finally {
    palace?.close();
  }
}

/** A run that files transcripts, or what was staged long ago. */
interface TranscriptRun extends RunIdentity {
  filing: FilingConfig;
  allowRemovals?: boolean;
  limit?: number | undefined;
}

/** Files batches that are ready, says what it did, and returns the exit code. */
export async function fileTranscripts(
  batches: Batch[],
  run: TranscriptRun,
  session: Session,
): Promise<number> {
  const { command, scope, narrowed, filing, allowRemovals = false, limit } = run;
  const startedAt = performance.now();
  const skipped = batches.flatMap((batch) => batch.skipped);
  return withRun(filing, { command, scope, narrowed }, session, async (open) => {
    const timeIsUp = startTimeLimit(filing.maxDurationMs);
    const { createSanitiser } = await import('../sanitiser/index.js');
    const rules = session.config.privacy.rules;
    const mined = await fileBatches(
      {
        open,
        batches,
        config: filing,
        addedBy: command,
        allowRemovals,
        limit,
        timeIsUp,
        sanitiser: await createSanitiser({ redact: filing.redact, rules }),
      },
      session,
    );
    const summary = summarise({ command, skipped, mined, startedAt });
    const all = [...skipped, ...mined.problems, ...timeUpProblems(mined.left)];
    printSummary(session.terminal, summary, all);
    return { exitCode: exitCodeFor(all), counts: countsOf(summary), skipped: problemsOf(all) };
  });
}
