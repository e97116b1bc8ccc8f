import type { Batch, Skipped, StagedSource } from '../core/contract.js';
import type { Embedder } from '../embedding/index.js';
import { formatModel, type Palace, type RunStart } from '../store/index.js';
import { EmbeddingQueue } from './embedding-queue.js';
import { planBatch } from './plan.js';
import { type PreparedSource, prepareSource, toFile } from './prepare.js';

export interface FileWrittenOptions {
  palace: Palace;
  /** From `writtenSource`; each key once. */
  sources: readonly StagedSource[];
  run: RunStart;
  addedBy: string;
  /** Called when a text has no vector. */
  embedder: () => Promise<Embedder>;
  /** Called in the transaction that files: true cancels it, as does an error. */
  unless?: () => boolean;
  signal?: AbortSignal | undefined;
}

export interface FiledWritten {
  filed: number;
  /** Unchanged sources with another wing, room or time. */
  moved: number;
  drawersRemoved: number;
  /** Not filed, because the user had them forgotten. */
  forgotten: Skipped[];
}

/** A run that ends meanwhile may delete vectors that are not filed. */
const ATTEMPTS = 5;

/**
 * Files written sources, concurrently with other runs and without the run lock: embeds them first, then files them
 * together in one short transaction, recorded as a run of its own. Sources that are already filed stay.
 *
 * @returns undefined when `unless` returned true
 * @throws what the embedder and the palace throw; UserError `locked` when another program writes for long
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

/** In a transaction. Plans again, since other programs may have written meanwhile. */
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
    // The model of the filed vectors; the run may have been described under another one.
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
