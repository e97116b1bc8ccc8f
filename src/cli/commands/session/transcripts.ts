import type { Batch } from '../../../core/contract.js';
import type {
  FiledConversations,
  Place,
  TranscriptOptions,
  TranscriptSurvey,
} from '../../../feeders/transcripts/index.js';
import { resolveFolders } from '../../../platform/folders.js';
import type { Palace } from '../../../store/index.js';
import type { FilingConfig } from '../../app/filing.js';
import { exitCodeFor, fileBatches, type RunIdentity, stageAndFile, withRun } from '../../app/filing.js';
import type { CommandContext } from '../../app/runner.js';
import { printStaged } from '../../app/staged-only.js';
import { countsOf, printSummary, problemsOf, summarise } from '../../app/summary.js';
import { startTimeLimit, timeUpProblems } from '../../app/time-limit.js';
import { printTranscripts } from './transcripts-dry-run.js';

export interface TranscriptChoice {
  places: readonly Place[];
  /** Absolute; only these. */
  files?: readonly string[];
  since?: number | undefined;
  minMessages: number;
  wing: string | undefined;
  room: string | undefined;
  /** Finding none is a problem. */
  required?: boolean;
}

/** A run that files transcripts, or what was staged long ago. */
interface TranscriptRun extends RunIdentity {
  filing: FilingConfig;
  limit?: number | undefined;
  /** Stages, or only looks. */
  instead?: 'dry-run' | 'stage-only' | undefined;
}

/**
 * Stages the transcripts of these places and files them, says what it did, and returns the exit code.
 *
 * @param choice told the palace that holds some already; undefined where there is none
 */
export async function runTranscripts(
  choice: (palace: Palace | undefined) => TranscriptChoice | Promise<TranscriptChoice>,
  run: TranscriptRun,
  context: CommandContext,
): Promise<number> {
  const { command, scope, narrowed, filing, limit, instead } = run;
  if (instead !== undefined) return runInstead(choice, run, context);
  const startedAt = performance.now();
  return withRun(filing, { command, scope, narrowed }, context, async (open) => {
    const timeIsUp = startTimeLimit(filing.maxDurationMs);
    const chosen = await choice(open.palace);
    const options = { ...(await optionsOf(chosen, run, open.palace, context)), timeIsUp };
    const { staged: batches = [], mined } = await stageAndFile(
      async () => staged(await surveyed(options, chosen), options, context),
      (all) =>
        fileBatches({ open, batches: all, config: filing, addedBy: command, limit, timeIsUp }, context),
      open.palace,
    );
    const skipped = batches.flatMap((batch) => batch.skipped);
    const summary = summarise({ command, skipped, mined, startedAt });
    const all = [...skipped, ...mined.problems, ...timeUpProblems(mined.left)];
    printSummary(context.terminal, summary, all);
    return { exitCode: exitCodeFor(all), counts: countsOf(summary), skipped: problemsOf(all) };
  });
}

async function runInstead(
  choice: (palace: Palace | undefined) => TranscriptChoice | Promise<TranscriptChoice>,
  run: TranscriptRun,
  context: CommandContext,
): Promise<number> {
  const { Palace } = await import('../../../store/index.js');
  const palace = Palace.readIfAny(run.filing.palace);
  try {
    const chosen = await choice(palace);
    const options = await optionsOf(chosen, run, palace, context);
    const survey = await surveyed(options, chosen);
    if (run.instead === 'dry-run') {
      const { sanitiser } = options;
      return await printTranscripts(survey, { command: run.command, palace, sanitiser }, context.terminal);
    }
    const batches = await staged(survey, options, context);
    const skips = batches.flatMap((batch) => batch.skipped);
    return printStaged(run.command, batches, skips, context.terminal);
  } finally {
    palace?.close();
  }
}

/** What the feeder of transcripts is told. */
async function optionsOf(
  choice: TranscriptChoice,
  { command, filing }: Pick<TranscriptRun, 'command' | 'filing'>,
  palace: Palace | undefined,
  { env, signal, config }: CommandContext,
): Promise<TranscriptOptions> {
  const { createSanitiser } = await import('../../../sanitiser/index.js');
  return {
    places: choice.places,
    files: choice.files,
    since: choice.since,
    minMessages: choice.minMessages,
    wing: choice.wing,
    room: choice.room,
    filed: filedConversations(palace),
    forgotten: palace?.forgetting.keys(),
    sanitiser: await createSanitiser({ redact: filing.redact, rules: config.privacy.rules }),
    cache: resolveFolders(env).cache,
    force: filing.force,
    command,
    waitMs: filing.waitMs,
    signal,
  };
}

/** What the palace holds of conversations, for a feeder that knows no palace. */
export function filedConversations(palace: Palace | undefined): FiledConversations {
  return {
    get: (sourceKey) => palace?.sources.byKey(sourceKey),
    messagesOf(sourceKey) {
      const filed = palace?.sources.byKey(sourceKey);
      return filed === undefined ? [] : (palace?.sources.messagesOf(filed.id) ?? []);
    },
    messagesOfAll: (prefix) => palace?.sources.messagesBelow(prefix) ?? [],
  };
}

async function surveyed(
  options: TranscriptOptions,
  { required = false, places }: TranscriptChoice,
): Promise<TranscriptSurvey> {
  const { HARNESSES, surveyTranscripts } = await import('../../../feeders/transcripts/index.js');
  const survey = await surveyTranscripts(options);
  if (required && survey.candidates === 0) {
    const detail = `files of ${HARNESSES.map(({ label }) => label).join(', ')} were looked for`;
    for (const { folder: origin } of places)
      survey.skipped.push({ origin, reason: 'no transcripts', detail, problem: true });
  }
  return survey;
}

async function staged(
  survey: TranscriptSurvey,
  options: TranscriptOptions,
  context: CommandContext,
): Promise<Batch[]> {
  const { stageTranscripts } = await import('../../../feeders/transcripts/index.js');
  const bar = await context.terminal.progress('staging');
  try {
    return await stageTranscripts(survey, {
      ...options,
      onProgress: (done, total) => bar.update(done, total, 'transcripts'),
    });
  } finally {
    bar.stop();
  }
}

/** Files batches that were staged long ago, says what it did, and returns the exit code. */
export async function fileStaged(
  batches: Batch[],
  run: TranscriptRun & { allowRemovals: boolean },
  context: CommandContext,
): Promise<number> {
  const { command, scope, narrowed, filing, allowRemovals, limit } = run;
  const startedAt = performance.now();
  const skipped = batches.flatMap((batch) => batch.skipped);
  return withRun(filing, { command, scope, narrowed }, context, async (open) => {
    const timeIsUp = startTimeLimit(filing.maxDurationMs);
    const { createSanitiser } = await import('../../../sanitiser/index.js');
    const { rules } = context.config.privacy;
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
      context,
    );
    const summary = summarise({ command, skipped, mined, startedAt });
    const all = [...skipped, ...mined.problems, ...timeUpProblems(mined.left)];
    printSummary(context.terminal, summary, all);
    return { exitCode: exitCodeFor(all), counts: countsOf(summary), skipped: problemsOf(all) };
  });
}
