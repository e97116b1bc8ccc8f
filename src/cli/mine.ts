import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Batch } from '../common/contract.js';
import { UserError } from '../common/errors.js';
import { resolveFolders } from '../common/folders.js';
import { runDocs } from './docs.js';
import { docsConfig, filingConfig } from './docs-config.js';
import { parseCount } from './durations.js';
import { exitCodeFor, fileBatches, withRun } from './filing.js';
import { type MineFlags, MODES, type Mode } from './mine-modes.js';
import type { Session } from './perform.js';
import { countReasons, countsOf, printSkips, printSummary, problemsOf, summarise } from './summary.js';
import { line } from './terminal.js';

const COMMAND = 'mempalace mine';

/**
 * `mempalace mine <dir>`: a staging folder is filed as it was staged; else `--mode docs` and `projects` do
 * what `mempalace-docs` does, and `convos` reads transcripts in place. Returns the exit code.
 */
export async function runMine(dir: string, flags: MineFlags, session: Session): Promise<number> {
  const mode = modeOf(flags.mode);
  requireFolder(dir);
  const { stagedBatches } = await import('../miner/staged.js');
  const batches = mode === undefined || mode === 'convos' ? await stagedBatches(resolve(dir)) : [];
  if (batches.length > 0) return fileThem(batches, dir, flags, session, false);
  if (mode === 'convos') return fileThem([await transcripts(dir, flags, session)], dir, flags, session, true);
  if (flags.room !== undefined) {
    throw new UserError('usage', '--room is for --mode convos', {
      hint: 'the rooms of documents come from mempalace.yaml and the folders',
    });
  }
  return runDocs(docsConfig('mempalace-docs', dir, flags), session);
}

async function transcripts(dir: string, flags: MineFlags, session: Session): Promise<Batch> {
  const folders = resolveFolders(session.env, flags.palace);
  const [{ Palace, palaceExists }, { transcriptBatch }, { validateWing }, { createSanitiser }] =
    await Promise.all([
      import('../store/index.js'),
      import('../miner/transcripts.js'),
      import('../feeders/docs/index.js'),
      import('../sanitiser/index.js'),
    ]);
  const sanitiser = await createSanitiser({ redact: flags.redact, rules: session.config.privacy.rules });
  const palace = palaceExists(folders.palace) ? Palace.read(folders.palace) : undefined;
  try {
    return await transcriptBatch({
      folder: resolve(dir),
      wing: flags.wing === undefined ? undefined : validateWing(flags.wing),
      room: flags.room,
      wingOf: (sourceKey) => palace?.sources.byKey(sourceKey)?.wing,
      sanitiser,
    });
  } finally {
    palace?.close();
  }
}

async function fileThem(
  batches: Batch[],
  dir: string,
  flags: MineFlags,
  session: Session,
  inPlace: boolean,
): Promise<number> {
  const folders = resolveFolders(session.env, flags.palace);
  const config = { ...filingConfig(flags), palace: folders.palace };
  const limit = flags.limit === undefined ? undefined : parseCount('--limit', flags.limit, 1);
  const skipped = batches.flatMap((batch) => batch.skipped);
  if (flags.dryRun === true) return dryRun(batches, folders.palace, flags, session);
  const startedAt = performance.now();
  const scope = JSON.stringify({ dir: resolve(dir) });
  return withRun(
    config,
    { command: COMMAND, scope, narrowed: limit !== undefined },
    session,
    async (open) => {
      const { createSanitiser } = await import('../sanitiser/index.js');
      const mined = await fileBatches(
        {
          open,
          batches,
          config,
          addedBy: COMMAND,
          allowRemovals: flags.allowRemovals === true,
          limit,
          sanitiser: inPlace
            ? await createSanitiser({ redact: flags.redact, rules: session.config.privacy.rules })
            : undefined,
        },
        session,
      );
      const all = [...skipped, ...mined.problems];
      const summary = summarise({ command: COMMAND, skipped, mined, startedAt });
      printSummary(session.terminal, summary, all);
      return { exitCode: exitCodeFor(all), counts: countsOf(summary), skipped: problemsOf(all) };
    },
  );
}

async function dryRun(given: Batch[], folder: string, flags: MineFlags, session: Session): Promise<number> {
  const { terminal } = session;
  const [{ Palace, palaceExists }, { planBatch, withoutTwins }, { planRemovals }] = await Promise.all([
    import('../store/index.js'),
    import('../miner/plan.js'),
    import('../miner/removals.js'),
  ]);
  const { batches, twins } = withoutTwins(given);
  const palace = palaceExists(folder) ? Palace.read(folder) : undefined;
  try {
    const plans = batches.map((batch) => planBatch(batch, palace, flags.force === true));
    const removals =
      palace === undefined
        ? []
        : batches.map((batch) => planRemovals(batch, palace, flags.allowRemovals === true));
    const skips = [
      ...batches.flatMap((batch) => batch.skipped),
      ...twins,
      ...plans.flatMap((plan) => plan.forgotten),
      ...removals.flatMap(({ heldBack }) => heldBack ?? []),
    ];
    const toFile = plans.flatMap((plan) => plan.toFile);
    const added = toFile.filter(({ filed }) => filed === undefined);
    const result = {
      command: COMMAND,
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
  } finally {
    palace?.close();
  }
}

function modeOf(text: string | undefined): Mode | undefined {
  if (text === undefined) return undefined;
  const mode = MODES.find((name) => name === text);
  if (mode === undefined) {
    throw new UserError('usage', `--mode takes ${MODES.join(', ')}, not "${text}"`);
  }
  return mode;
}

function requireFolder(dir: string): void {
  const stat = statSync(dir, { throwIfNoEntry: false });
  if (stat === undefined) throw new UserError('not-found', `there is no folder ${JSON.stringify(dir)}`);
  if (!stat.isDirectory()) throw new UserError('usage', `${JSON.stringify(dir)} is not a folder`);
}
