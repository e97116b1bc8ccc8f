import type { Skipped } from '../../core/contract.js';
import { coverageText } from '../../core/coverage.js';
import { type ErrorCode, UserError } from '../../core/errors.js';
import type { MineOptions, MineResult } from '../../miner/mining.js';
import type { MineProgress } from '../../miner/progress.js';
import { resolveFolders } from '../../platform/folders.js';
import type { ModelIdentity, Palace, RunStamp } from '../../store/index.js';
import { formatSeconds, plural } from '../../terminal/durations.js';
import type { ProgressLine } from '../../terminal/terminal.js';
import { EXIT, exitCodeOf } from './exit.js';
import type { Known } from './known.js';
import { sayWarnings } from './open-palace.js';
import { filingModel, withEmbedder } from './palace-model.js';
import { underRunLock } from './run-lock.js';
import type { CommandContext } from './runner.js';

export interface RunIdentity {
  command: string;
  /** Canonical JSON of the databases or folder, and of the options that affect the result. */
  scope: string;
  narrowed: boolean;
}

/** A palace that is locked and open for a recorded run. */
export interface OpenRun {
  palace: Palace;
  run: RunStamp;
}

/** The recorded result of a run. */
export interface RunOutcome {
  exitCode: number;
  counts: Record<string, unknown>;
  skipped: Skipped[];
}

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

export interface RunChoices extends Partial<RunIdentity> {
  command: string;
  waitMs: number;
  /** Called after locking. By default there must be a palace, and its model is used. */
  model?: () => Promise<ModelIdentity>;
}

/**
 * Runs `work` with the palace's run lock, and records the run. By default the record names nothing but the command,
 * since it stays when sources are forgotten.
 *
 * @throws UserError as `underRunLock` does
 */
export async function withRun(
  { command, scope = '{}', narrowed = true, waitMs, model }: RunChoices,
  context: CommandContext,
  work: (open: OpenRun) => Promise<RunOutcome>,
): Promise<number> {
  const folder = context.folders.palace;
  return underRunLock(folder, { command, waitMs, make: model !== undefined }, context, async () => {
    const [{ Palace }, { versionsOf }] = await Promise.all([
      import('../../store/index.js'),
      import('./single-write.js'),
    ]);
    const palace = Palace.write(folder, model === undefined ? Palace.look(folder, modelOf) : await model());
    try {
      sayWarnings(palace.warnings(), context.terminal);
      const startedMs = Date.now();
      const versions = versionsOf(palace.model);
      const id = palace.runs.begin({ command, scope, narrowed, versions, startedMs });
      return await recorded(palace, id, async () => {
        await completeForgetting(palace, command, waitMs, context);
        return work({ palace, run: { id, now: new Date(startedMs).toISOString() } });
      });
    } finally {
      palace.close();
    }
  });
}

const modelOf = ({ model }: Palace): ModelIdentity => model;

/** Finishes what a killed `forget` began: its sources are removed from the cache, then from the palace. */
async function completeForgetting(
  palace: Palace,
  command: string,
  waitMs: number,
  { env, signal }: CommandContext,
): Promise<void> {
  const traces = palace.forgetting.unerased();
  if (traces.length === 0) {
    if (palace.facts.ofForgotten().length > 0) palace.eraseForgotten();
    return;
  }
  const { eraseStaged } = await import('../../feeders/staging/erase-staged.js');
  await eraseStaged({ cache: resolveFolders(env).cache, traces, command, waitMs, signal });
  palace.eraseForgotten();
}

async function recorded(palace: Palace, id: number, work: () => Promise<RunOutcome>): Promise<number> {
  try {
    const outcome = await work();
    palace.runs.end(id, outcome);
    return outcome.exitCode;
  } catch (error) {
    const code: ErrorCode = error instanceof UserError ? error.code : 'failed';
    const pending = palace.vectors.pending.count();
    palace.runs.end(id, { exitCode: exitCodeOf(code), counts: { error: code, pending }, skipped: [] });
    throw error;
  }
}

/** Runs `work` for the palace of this machine, as a recorded run. @throws UserError as `withRun` does */
export function fileHere(
  identity: RunIdentity & { waitMs: number },
  context: CommandContext,
  work: (destination: Destination) => Promise<RunOutcome>,
): Promise<number> {
  const model = () => filingModel(context.folders.palace, context);
  return withRun({ ...identity, model }, context, (open) =>
    work({ known: open.palace, open, file: (options) => fileBatches(open, options, context) }),
  );
}

/** Mines batches with a progress bar. The embedder is started when the first text needs it. */
export async function fileBatches(
  { palace, run }: OpenRun,
  options: Omit<FilingOptions, 'maxMs'>,
  context: CommandContext,
): Promise<MineResult> {
  const [{ mine }, { modelById }] = await Promise.all([
    import('../../miner/mine.js'),
    import('../../embedding/index.js'),
  ]);
  const modelOf = () => modelById(palace.model.id, palace.model.dimension);
  const started = performance.now();
  const file = (embedder: MineOptions['embedder'], bar: ProgressLine) =>
    mine({
      ...options,
      palace,
      run,
      embedder,
      signal: context.signal,
      onProgress: (progress) => {
        const { bytes, bytesTotal } = progress;
        bar.update(Math.floor(bytes), bytesTotal, progressNote(progress, performance.now() - started));
      },
    });
  try {
    return await withEmbedder('filing', modelOf, context, file, 'bytes');
  } catch (error) {
    const coverage = palace.vectors.coverage();
    if (coverage.pending > 0) context.terminal.note(`what is filed is found ${coverageText(coverage)}`);
    throw error;
  }
}

/** The remaining time is not shown before this. */
const FIRST_GUESS_MS = 2_000;

/** @param elapsedMs since the run began to file */
function progressNote(
  { sources, sourcesTotal, embedded, bytes, bytesTotal }: MineProgress,
  elapsedMs: number,
): string {
  const filed = sourcesTotal === 0 ? '' : `${sources} of ${plural(sourcesTotal, 'source')} filed, `;
  const rate = `${filed}${Math.round((embedded * 1000) / Math.max(elapsedMs, 1))} texts/s`;
  if (elapsedMs < FIRST_GUESS_MS || bytes === 0) return rate;
  const left = (elapsedMs / 1000) * (bytesTotal / bytes - 1);
  return `${rate}, ${formatSeconds(left)} left`;
}

/** 3 if there is a problem, else 0. */
export function exitCodeFor(skipped: readonly Skipped[]): number {
  return skipped.some((skip) => skip.problem === true) ? EXIT.incomplete : EXIT.done;
}
