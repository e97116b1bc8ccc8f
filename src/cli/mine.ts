import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Batch } from '../common/contract.js';
import { UserError } from '../common/errors.js';
import { resolveFolders } from '../common/folders.js';
import { validateWing } from '../common/wing.js';
import { runDocs } from './docs.js';
import { docsConfig, filingConfig } from './docs-config.js';
import { parseCount } from './durations.js';
import { exitCodeFor, fileBatches, withRun } from './filing.js';
import { dryRunBatches } from './mine-dry-run.js';
import { type MineFlags, MODES, type Mode } from './mine-modes.js';
import type { Session } from './perform.js';
import { countsOf, printSummary, problemsOf, summarise } from './summary.js';

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
  const [{ Palace, palaceExists }, { transcriptBatch }, { createSanitiser }] = await Promise.all([
    import('../store/index.js'),
    import('../miner/transcripts.js'),
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

async function dryRun(
  batches: Batch[],
  folder: string,
  flags: MineFlags,
  { terminal }: Session,
): Promise<number> {
  const { Palace, palaceExists } = await import('../store/index.js');
  const palace = palaceExists(folder) ? Palace.read(folder) : undefined;
  try {
    const { force = false, allowRemovals } = flags;
    return await dryRunBatches(batches, { command: COMMAND, palace, force, allowRemovals }, terminal);
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
