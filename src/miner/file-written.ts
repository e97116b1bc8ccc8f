import type { Batch, Skipped, StagedSource } from '../core/contract.js';
import type { Embedder } from '../embedding/index.js';
import { formatModel, type Palace, type RunStart } from '../store/index.js';
import { EmbeddingQueue } from './embedding-queue.js';
import { planBatch } from './plan.js';
import { type PreparedSource, prepareSource, toFile } from './prepare.js';

export interface FileWrittenOptions {
  palace: Palace;
  /** As `writtenSource` makes them; each key once. */
  sources: readonly StagedSource[];
  /** What it is recorded as. */
  run: RunStart;
  addedBy: string;
  /** Called when a text has no vector yet. */
  embedder: () => Promise<Embedder>;
  /** Asked in the transaction that files: true when nothing is to be filed after all. What it throws ends it, too. */
  unless?: () => boolean;
  signal?: AbortSignal | undefined;
}

export interface FiledWritten {
  /** Sources that were filed. */
  filed: number;
  /** Sources that only went to another wing or room, or got another time. */
  moved: number;
  drawersRemoved: number;
  /** What its owner had forgotten, and is not filed. */
  forgotten: Skipped[];
}

/** Attempts: a run that ends meanwhile may release vectors that are not filed yet. */
const ATTEMPTS = 5;

/**
 * Files sources that were handed over, beside any run and without the run lock: they are embedded first, and then
 * filed together, with a run of their own on record, in one short transaction. What is there already stays.
 *
 * @returns undefined when `unless` said so
 * @throws UserError what the embedder and the palace throw, `locked` when another program writes for long
 */
export async function fileWritten(options: FileWrittenOptions): Promise<FiledWritten | undefined> {
  const { palace, sources, embedder, signal } = options;
  const batch: Batch = { sources: [...sources], skipped: [] };
  for (let attempt = 1; ; attempt += 1) {
    const queue = new EmbeddingQueue({ palace, embedder, refresh: false });
    const prepared = new Map<string, PreparedSource>();
    for (const planned of planBatch(batch, palace, false).toFile)
      prepared.set(planned.source.sourceKey, await prepareSource(planned, queue, { signal }));
    await queue.drain();
    signal?.throwIfAborted();
    const outcome = palace.transaction(() => {
      if (options.unless?.() === true) return 'not meant';
      return fileNow(options, batch, prepared);
    });
    if (outcome === 'not meant') return undefined;
    if (outcome !== 'not ready') return outcome;
    if (attempt === ATTEMPTS)
      throw new Error(
        `what ${sources.map(({ sourceKey }) => sourceKey).join(', ')} needs went again and again`,
      );
  }
}

/** In a transaction. Planned again: others may have written since. */
function fileNow(
  { palace, run, addedBy }: FileWrittenOptions,
  batch: Batch,
  prepared: ReadonlyMap<string, PreparedSource>,
): FiledWritten | 'not ready' {
  const plan = planBatch(batch, palace, false);
  const ready = plan.toFile.map(({ source }) => prepared.get(source.sourceKey));
  const isReady = (each: PreparedSource | undefined): each is PreparedSource =>
    each?.drafts.every(({ vectorHash }) => palace.vectors.has(vectorHash)) === true;
  if (!ready.every(isReady)) return 'not ready';
  const result = { filed: ready.length, moved: plan.toRelocate.length, drawersRemoved: 0 };
  if (result.filed + result.moved > 0) {
    const startedAt = new Date(run.startedMs).toISOString();
    // The model of the vectors that are filed: another one may have been in force when the run was described.
    const id = palace.runs.begin({ ...run, versions: { ...run.versions, model: formatModel(palace.model) } });
    let drawersAdded = 0;
    for (const prepared of ready) {
      const change = palace.file(toFile(prepared, { addedBy, refreshVectors: false }), {
        id,
        now: startedAt,
      });
      drawersAdded += change.added;
      result.drawersRemoved += change.removed;
    }
    for (const { filed, record } of plan.toRelocate) palace.relocate(filed, record);
    const before = plan.toFile.filter(({ filed }) => filed !== undefined).length;
    palace.runs.end(id, {
      exitCode: 0,
      counts: {
        new: result.filed - before,
        changed: before,
        moved: result.moved,
        drawers_added: drawersAdded,
        drawers_removed: result.drawersRemoved,
      },
      skipped: [],
    });
  }
  return { ...result, forgotten: plan.forgotten };
}
