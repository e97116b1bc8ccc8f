import { resolve } from 'node:path';
import type { Batch, Skipped } from '../../../core/contract.js';
import { isOfKind, KEY_KIND } from '../../../core/source-key.js';
import { stageChroma, surveyChroma, wouldBeBatches } from '../../../feeders/mempalace/index.js';
import { resolveFolders } from '../../../platform/folders.js';
import { cleanPath, createSanitiser } from '../../../sanitiser/index.js';
import { Palace } from '../../../store/index.js';
import { plural } from '../../app/durations.js';
import { exitCodeFor, fileBatches, withRun } from '../../app/filing.js';
import type { FilingFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { countsOf, printSummary, problemsOf, summarise } from '../../app/summary.js';
import { line } from '../../terminal/terminal.js';
import { filingConfig } from '../docs/config.js';
import { dryRunBatches } from '../mine/dry-run.js';

export interface ImportChromaFlags extends FilingFlags {
  collection?: string;
  dryRun?: boolean;
}

type Survey = ReturnType<typeof surveyChroma>;

const COMMAND = 'mempalace import-chroma';

/** `mempalace import-chroma <palace>`. Returns the exit code. */
export async function runImportChroma(
  given: string,
  flags: ImportChromaFlags,
  context: CommandContext,
): Promise<number> {
  const { terminal, env, signal } = context;
  const { palace: folder, cache } = resolveFolders(env, flags.palace);
  const config = { ...filingConfig(flags), palace: folder };
  if (!flags.redact) terminal.warn('secrets are kept as they are (--no-redact)');
  const sanitiser = await createSanitiser({ redact: flags.redact, rules: context.config.privacy.rules });
  const survey = surveyChroma(resolve(given), flags.collection);
  const choices = (palace: Palace | undefined) => ({
    sanitiser,
    forgotten: palace?.forgetting.names() ?? new Set<string>(),
    filedFrom: filedByOrigin(palace),
    signal,
  });
  try {
    if (flags.dryRun === true) {
      const palace = Palace.readIfAny(folder);
      try {
        const batches = withProblems(await wouldBeBatches(survey, choices(palace)), survey);
        sayDropped(survey, context);
        const { force } = config;
        return dryRunBatches(batches, { command: COMMAND, palace, force, more: theirs(survey) }, terminal);
      } finally {
        palace?.close();
      }
    }
    const startedAt = performance.now();
    return await withRun(
      config,
      {
        command: COMMAND,
        scope: JSON.stringify({ file: await cleanPath(survey.file, sanitiser) }),
        narrowed: true,
      },
      context,
      async (open) => {
        const bar = await terminal.progress('staging');
        const onProgress = (done: number, total: number) => bar.update(done, total, 'sources');
        const staging = { cache, command: COMMAND, waitMs: config.waitMs, onProgress };
        const staged = await stageChroma(survey, { ...choices(open.palace), ...staging }).finally(() =>
          bar.stop(),
        );
        const batches = withProblems(staged, survey);
        const skipped = batches.flatMap((batch) => batch.skipped);
        const mined = await fileBatches({ open, batches, config, addedBy: COMMAND }, context);
        const all: Skipped[] = [...skipped, ...mined.problems];
        const summary = { ...summarise({ command: COMMAND, skipped, mined, startedAt }), ...theirs(survey) };
        sayDropped(survey, context);
        printSummary(terminal, summary, all);
        return { exitCode: exitCodeFor(all), counts: countsOf(summary), skipped: problemsOf(all) };
      },
    );
  } finally {
    survey.close();
  }
}

/** What a feeder filed from the file itself is nearer to it than an import. */
function filedByOrigin(palace: Palace | undefined): (origin: string) => string | undefined {
  const keys = new Map<string, string>();
  for (const kind of ['document', 'conversation'] as const)
    for (const { origin, sourceKey } of palace?.sources.ofKind(kind).values() ?? [])
      if (!isOfKind(sourceKey, KEY_KIND.imported)) keys.set(origin, sourceKey);
  return (origin) => keys.get(origin);
}

function withProblems(batches: Batch[], { problems }: Survey): Batch[] {
  return problems.length === 0 ? batches : [...batches, { sources: [], skipped: problems }];
}

/** The part of the report that is about their palace. */
function theirs({ file, collection, drawers, dropped }: Survey) {
  return { from: file, collection, drawers_read: drawers, dropped };
}

function sayDropped({ file, drawers, groups, dropped }: Survey, { terminal }: CommandContext): void {
  terminal.say(`${line(file)}: ${plural(drawers, 'drawer')} of ${plural(groups.length, 'source')}`);
  for (const [what, count] of Object.entries(dropped)) terminal.say(`left out ${count}: ${what}`);
}
