import type { Skipped, StagedSource } from '../core/contract.js';
import { UserError } from '../core/errors.js';
import type { Embedder } from '../embedding/index.js';
import type { Sanitiser } from '../sanitiser/index.js';
import { formatModel, type Palace, type RunStart } from '../store/index.js';
import { EmbeddingQueue } from './embedding-queue.js';
import { type Plan, planBatch } from './plan.js';
import { type PreparedSource, prepareSource } from './prepare.js';
import { relocate } from './relocate.js';

/** Who writes, and with what. */
export interface Writer {
  sanitiser: Sanitiser;
  /** Called when a text has no vector. */
  embedder: () => Promise<Embedder>;
  addedBy: string;
  /** The record of the run; its start is the time of what is written. */
  run: RunStart;
  signal?: AbortSignal | undefined;
}

export interface FileWrittenOptions extends Omit<Writer, 'sanitiser'> {
  palace: Palace;
  /**
   * The sources to file, from `writtenSource`, each key once; undefined cancels. Called again in the transaction that
   * files, since other programs may have written meanwhile.
   */
  sources: () => readonly StagedSource[] | undefined;
  /** Called in the transaction that files, first: what it changes is kept with the sources, or not at all. */
  alongside?: (() => void) | undefined;
}

export interface FiledWritten {
  drawersRemoved: number;
  /** Not filed, because the user had them forgotten. */
  forgotten: Skipped[];
}

/** Other programs may change the sources meanwhile, and a run that ends may delete vectors that are not filed. */
const ATTEMPTS = 5;

/**
 * Files written sources, concurrently with other runs and without the run lock: embeds them first, then files them
 * together in one short transaction, recorded as a run of its own. Sources that are already filed stay.
 *
 * @returns undefined when `sources` returned undefined
 * @throws what the embedder and the palace throw; UserError `locked` when other programs write for long
 */
export async function fileWritten(options: FileWrittenOptions): Promise<FiledWritten | undefined> {
  const { palace, embedder, signal } = options;
  const prepared = new Map<string, PreparedSource>();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const sources = options.sources();
    if (sources === undefined) return undefined;
    const queue = new EmbeddingQueue({ palace, embedder });
    for (const planned of planOf(sources, palace).toFile) {
      const source = await prepareSource(planned, { signal });
      for (const { text } of source.drafts) queue.want(text);
      prepared.set(planned.source.sourceKey, source);
    }
    await queue.drain();
    signal?.throwIfAborted();
    const outcome = palace.transaction(() => fileNow(options, prepared));
    if (outcome !== 'not ready') return outcome;
  }
  throw new UserError('locked', 'other writers keep changing the same texts; try again');
}

const planOf = (sources: readonly StagedSource[], palace: Palace): Plan =>
  planBatch({ sources: [...sources], skipped: [] }, palace, false);

function fileNow(
  { palace, run, addedBy, ...options }: FileWrittenOptions,
  prepared: ReadonlyMap<string, PreparedSource>,
): FiledWritten | undefined | 'not ready' {
  const sources = options.sources();
  if (sources === undefined) return undefined;
  const plan = planOf(sources, palace);
  const ready = plan.toFile.map(({ source }) => prepared.get(source.sourceKey));
  const isReady = (each: PreparedSource | undefined): each is PreparedSource =>
    each?.drafts.every(({ vectorHash }) => palace.vectors.has(vectorHash)) === true;
  if (!ready.every(isReady)) return 'not ready';
  options.alongside?.();
  let [drawersAdded, drawersRemoved] = [0, 0];
  if (ready.length + plan.toRelocate.length > 0) {
    const now = new Date(run.startedMs).toISOString();
    // The model of the filed vectors; the run may have been described under another one.
    const id = palace.runs.begin({ ...run, versions: { ...run.versions, model: formatModel(palace.model) } });
    for (const prepared of ready) {
      const filing = { ...prepared, source: prepared.record, addedBy, refreshVectors: false };
      const change = palace.file(filing, { id, now });
      drawersAdded += change.added;
      drawersRemoved += change.removed;
    }
    for (const each of plan.toRelocate) relocate(palace, each);
    const changed = plan.toFile.filter(({ filed }) => filed !== undefined).length;
    const counts = { new: ready.length - changed, changed, moved: plan.toRelocate.length };
    palace.runs.end(id, {
      exitCode: 0,
      counts: { ...counts, drawers_added: drawersAdded, drawers_removed: drawersRemoved },
      skipped: [],
    });
  }
  return { drawersRemoved, forgotten: plan.forgotten };
}
