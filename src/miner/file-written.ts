import type { StagedSource } from '../common/contract.js';
import type { Palace, RunStart } from '../store/index.js';
import type { Embedder } from './embed/index.js';
import { EmbeddingQueue } from './embedding-queue.js';
import { planBatch } from './plan.js';
import { prepareSource } from './prepare.js';

export interface FileWrittenOptions {
  palace: Palace;
  /** As `writtenSource` makes it. */
  source: StagedSource;
  /** What it is recorded as. */
  run: RunStart;
  addedBy: string;
  /** Called when a text has no vector yet. */
  embedder: () => Promise<Embedder>;
  /** Asked in the transaction that files: true when nothing is to be filed after all. */
  unless?: () => boolean;
  signal?: AbortSignal | undefined;
}

/** A run that ends meanwhile may let go of vectors that are not filed yet; they are made again so often. */
const ATTEMPTS = 5;

/**
 * Files one source that was handed over, beside any run and without the run lock: it is embedded first, and then
 * filed, with a run of its own on record, in one short transaction.
 *
 * @returns false when it was there, is forgotten, or `unless` said so
 * @throws UserError what the embedder and the palace throw, `locked` when another program writes for long
 */
export async function fileWritten(options: FileWrittenOptions): Promise<boolean> {
  const { palace, source, embedder, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    const [planned] = planBatch({ sources: [source], skipped: [] }, palace, false).toFile;
    if (planned === undefined) return false;
    const queue = new EmbeddingQueue({ palace, embedder, refresh: false });
    const prepared = await prepareSource(planned, queue, { signal });
    await queue.drain();
    signal?.throwIfAborted();
    const filed = palace.transaction(() => {
      if (options.unless?.() === true) return false;
      const { drafts, pieces, messages, chars, record, title } = prepared;
      if (!drafts.every(({ vectorHash }) => palace.vectors.has(vectorHash))) return undefined;
      const { run, addedBy } = options;
      const id = palace.runs.begin(run);
      const change = palace.file(
        { source: { ...record, title }, messages, pieces, drafts, chars, addedBy, refreshVectors: false },
        { id, now: new Date(run.startedMs).toISOString() },
      );
      const counts = { new: 1, drawers_added: change.added };
      palace.runs.end(id, { exitCode: 0, counts, skipped: [] });
      return true;
    });
    if (filed !== undefined) return filed;
    if (attempt === ATTEMPTS)
      throw new Error(`the vectors of ${source.sourceKey} were let go again and again`);
  }
}
