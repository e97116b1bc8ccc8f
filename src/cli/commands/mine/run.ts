import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Batch } from '../../../core/contract.js';
import { UserError } from '../../../core/errors.js';
import { MANIFEST_NAME } from '../../../core/manifest.js';
import { validateWing } from '../../../core/wing.js';
import { resolveFolders } from '../../../platform/folders.js';
import { parseCount } from '../../app/durations.js';
import type { CommandContext } from '../../app/runner.js';
import { shownPath } from '../../app/shown-path.js';
import { line } from '../../terminal/terminal.js';
import { docsConfig, filingConfig } from '../docs/config.js';
import { runDocs } from '../docs/run.js';
import { fileStaged, runTranscripts } from '../session/transcripts.js';
import { dryRunBatches } from './dry-run.js';
import { type MineFlags, MODES, type Mode } from './modes.js';

const COMMAND = 'mempalace mine';

/**
 * `mempalace mine <dir>`: a folder of the staging cache, or one named by `--staged`, is filed as it was staged; else
 * `--mode docs` and `projects` do what `mempalace-docs` does, and `convos` files transcripts. Without a mode it is as the
 * folder looks. Returns the exit code.
 */
export async function runMine(dir: string, flags: MineFlags, context: CommandContext): Promise<number> {
  const mode = modeOf(flags.mode);
  refuseForStaged(flags);
  requireFolder(dir);
  const { holdsManifest } = await import('../../../miner/staged.js');
  const batches = mode === undefined || mode === 'convos' ? await staged(dir, flags, context) : [];
  if (batches.length > 0) return fileThem(batches, dir, flags, context);
  if (flags.staged === true) {
    throw new UserError('not-found', `nothing is staged in ${JSON.stringify(dir)}`, {
      hint: `name the folder that holds ${MANIFEST_NAME}, or one above it`,
    });
  }
  if (mode === undefined && (await holdsManifest(dir))) {
    context.terminal.warn(
      `a staging manifest in ${line(dir)} is not believed: it is not in your cache. If you staged the folder yourself, file it with --staged`,
    );
  }
  if (mode === 'convos' || (mode === undefined && (await looksLikeTranscripts(dir))))
    return mineTranscripts(dir, flags, context);
  if (flags.room !== undefined) {
    throw new UserError('usage', '--room is for --mode convos', {
      hint: 'the rooms of documents come from mempalace.yaml and the folders',
    });
  }
  return runDocs(docsConfig('mempalace-docs', dir, flags), context);
}

async function looksLikeTranscripts(dir: string): Promise<boolean> {
  const { holdsTranscripts } = await import('../../../feeders/transcripts/index.js');
  return holdsTranscripts(resolve(dir));
}

async function staged(dir: string, flags: MineFlags, { env, config }: CommandContext): Promise<Batch[]> {
  const { stagedBatches } = await import('../../../miner/staged.js');
  return stagedBatches(resolve(dir), {
    cache: resolveFolders(env).cache,
    named: flags.staged === true,
    allowRemovals: flags.allowRemovals === true,
    sanitiser: async () => {
      const { createSanitiser } = await import('../../../sanitiser/index.js');
      return createSanitiser({ redact: flags.redact, rules: config.privacy.rules });
    },
  });
}

/** @throws UserError `usage` */
function refuseForStaged({ staged, mode, wing, room }: MineFlags): void {
  if (staged !== true) return;
  const other = Object.entries({ mode, wing, room }).find(([, value]) => value !== undefined)?.[0];
  if (other === undefined) return;
  throw new UserError('usage', `--staged and --${other} exclude each other`, {
    hint: 'what is staged has its wings and rooms already',
  });
}

async function mineTranscripts(dir: string, flags: MineFlags, context: CommandContext): Promise<number> {
  const folder = resolve(dir);
  const limit = limitOf(flags);
  return runTranscripts(
    () => ({
      places: [{ folder }],
      minMessages: 0,
      wing: flags.wing === undefined ? undefined : validateWing(flags.wing),
      room: flags.room,
      required: true,
    }),
    { ...(await runOf(dir, flags, context, limit)), instead: flags.dryRun === true ? 'dry-run' : undefined },
    context,
  );
}

function limitOf({ limit }: MineFlags): number | undefined {
  return limit === undefined ? undefined : parseCount('--limit', limit, 1);
}

async function runOf(dir: string, flags: MineFlags, context: CommandContext, limit: number | undefined) {
  const { palace } = resolveFolders(context.env, flags.palace);
  return {
    command: COMMAND,
    scope: JSON.stringify({ dir: await shownPath(resolve(dir), flags.redact, context) }),
    narrowed: limit !== undefined,
    filing: { ...filingConfig(flags), palace },
    limit,
  };
}

async function fileThem(
  batches: Batch[],
  dir: string,
  flags: MineFlags,
  context: CommandContext,
): Promise<number> {
  const limit = limitOf(flags);
  const run = await runOf(dir, flags, context, limit);
  if (flags.dryRun === true) return dryRun(batches, run.filing.palace, flags, context);
  return fileStaged(batches, { ...run, allowRemovals: flags.allowRemovals === true }, context);
}

async function dryRun(
  batches: Batch[],
  folder: string,
  flags: MineFlags,
  { terminal }: CommandContext,
): Promise<number> {
  const { Palace } = await import('../../../store/index.js');
  const palace = Palace.readIfAny(folder);
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
