import { resolve } from 'node:path';
import type { Batch, Skipped } from '../../../core/contract.js';
import type { TimeIsUp } from '../../../core/time-up.js';
import { type Folders, resolveFolders } from '../../../platform/folders.js';
import { exitCodeFor, fileBatches, stageAndFile, withRun } from '../../app/filing.js';
import type { CommandContext } from '../../app/runner.js';
import { shownPath } from '../../app/shown-path.js';
import { printStaged } from '../../app/staged-only.js';
import { countsOf, printSummary, problemsOf, type Summary, summarise } from '../../app/summary.js';
import { startTimeLimit, timeUpProblems } from '../../app/time-limit.js';
import { line } from '../../terminal/terminal.js';
import type { DocsConfig } from './config.js';
import { dryRunDocs } from './dry-run.js';
import { type IdentifiedProject, identify } from './identify.js';

/** What `mempalace-docs` says of a run. */
type DocsSummary = Summary & { wing: string; notes: string[] };

/**
 * `mempalace-docs <dir>`, and `mempalace mine --mode docs <dir>`. Returns the exit code.
 *
 * @param tell gets what a run did that files
 */
export async function runDocs(
  config: DocsConfig,
  context: CommandContext,
  tell = (summary: DocsSummary, skips: readonly Skipped[]) => printSummary(context.terminal, summary, skips),
): Promise<number> {
  const folders = resolveFolders(context.env, config.palace);
  const docs = await import('../../../feeders/docs/index.js');
  await docs.refuseRoot(config.dir, folders.home, { palace: folders.palace, cache: folders.cache });
  if (!config.filing.redact) context.terminal.warn('secrets are kept as they are (--no-redact)');
  if (config.dryRun || config.stageOnly) {
    const { Palace } = await import('../../../store/index.js');
    const palace = Palace.readIfAny(folders.palace);
    try {
      const identified = await identify(config, folders, palace, context);
      if (config.dryRun) return await dryRunDocs(config, identified, palace, context);
      const batch = await stage(config, identified, folders, context);
      return printStaged(config.command, [batch], batch.skipped, context.terminal);
    } finally {
      palace?.close();
    }
  }
  // Before the palace is made or locked: a malformed mempalace.yaml must leave nothing behind.
  await docs.readProjectConfig((await docs.findProjectRoot(config.dir, folders.home)).root);
  const startedAt = performance.now();
  const dir = await shownPath(resolve(config.dir), config.filing.redact, context);
  const scope = JSON.stringify({ dir, wing: config.wing ?? null });
  return withRun(
    { ...config.filing, palace: folders.palace },
    { command: config.command, scope, narrowed: config.adHoc },
    context,
    async (open) => {
      const timeIsUp = startTimeLimit(config.filing.maxDurationMs);
      const identified = await identify(config, folders, open.palace, context);
      const { staged: batch, mined } = await stageAndFile(
        () => stage(config, identified, folders, context, timeIsUp),
        (batch) =>
          fileBatches(
            {
              open,
              batches: [batch],
              config: { ...config.filing, palace: folders.palace },
              addedBy: config.command,
              allowRemovals: config.allowRemovals,
              limit: config.limit,
              timeIsUp,
            },
            context,
          ),
        open.palace,
      );
      const skipped = batch?.skipped ?? [];
      const summary = summarise({ command: config.command, skipped, mined, startedAt });
      const all = [...skipped, ...mined.problems, ...timeUpProblems(mined.left)];
      for (const note of identified.survey.notes) context.terminal.note(`note: ${line(note)}`);
      tell({ ...summary, wing: identified.wing, notes: identified.survey.notes }, all);
      return { exitCode: exitCodeFor(all), counts: countsOf(summary), skipped: problemsOf(all) };
    },
  );
}

async function stage(
  config: DocsConfig,
  identified: IdentifiedProject,
  folders: Folders,
  context: CommandContext,
  timeIsUp?: TimeIsUp,
): Promise<Batch> {
  const [docs, { createSanitiser }] = await Promise.all([
    import('../../../feeders/docs/index.js'),
    import('../../../sanitiser/index.js'),
  ]);
  const bar = await context.terminal.progress('staging', 'bytes');
  try {
    return await docs.stageProject({
      survey: identified.survey,
      project: identified.project,
      wing: identified.wing,
      cache: folders.cache,
      sanitiser: await createSanitiser({
        redact: config.filing.redact,
        rules: context.config.privacy.rules,
      }),
      complete: identified.complete,
      folder: identified.folder,
      absorbs: identified.absorbs,
      previousWings: identified.previousWings,
      force: config.filing.force,
      command: config.command,
      waitMs: config.filing.waitMs,
      signal: context.signal,
      timeIsUp,
      onProgress: (done, total) => bar.update(done, total, ''),
    });
  } finally {
    bar.stop();
  }
}
