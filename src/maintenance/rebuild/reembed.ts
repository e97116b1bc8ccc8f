import { UserError } from '../../core/errors.js';
import type { Embedder, EmbeddingModel } from '../../embedding/index.js';
import { untilAborted } from '../../platform/until-aborted.js';
import type { Palace } from '../../store/index.js';

/** Texts embedded together: enough to sort by length, few enough that a killed run loses a second or two. */
const BATCH_TEXTS = 128;
/** Texts of which the speed of a model is taken. */
const SAMPLE_TEXTS = 48;

export interface ReembedOptions {
  palace: Palace;
  /** Whose vectors the palace is to hold. */
  model: EmbeddingModel;
  /** Starts the embedder of `model`; called when a text needs it. */
  embedder: () => Promise<Embedder>;
  signal?: AbortSignal | undefined;
  /** @param done of `total` texts, those of earlier runs included */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface ReembedResult {
  /** Texts that have a vector of the model now. */
  texts: number;
  /** Of these, embedded by an earlier run that did not end. */
  resumed: number;
  embedded: number;
}

/**
 * Embeds every text of the palace with another model and puts the new vectors in force; until then the old
 * ones serve. The palace must be locked against other runs. What was embedded when the signal aborts, or the
 * process dies, stays, and the next call goes on from there.
 *
 * @throws UserError `interrupted` when the signal aborts, or what the embedder and the palace throw
 */
export async function reembed(options: ReembedOptions): Promise<ReembedResult> {
  const { palace, model, signal, onProgress } = options;
  const { reembedding } = palace;
  palace.vectors.releaseUnused();
  reembedding.begin(model);
  const { texts, gathered } = reembedding.counts();
  let embedded = 0;
  let embedder: Embedder | undefined;
  onProgress?.(gathered, texts);
  do {
    for (let after = 0; ; ) {
      interruptIfAborted(signal);
      const missing = reembedding.missing(after, BATCH_TEXTS);
      const last = missing.at(-1);
      if (last === undefined) break;
      embedder ??= await options.embedder();
      interruptIfAborted(signal);
      const before = gathered + embedded;
      const work = embedder.embed(
        missing.map(({ text }) => text),
        'passage',
        signal,
        (share) => onProgress?.(before + Math.floor(share * missing.length), texts),
      );
      const vectors = await untilAborted(work, signal, () => interruption(signal?.reason));
      reembedding.keep(
        missing.flatMap(({ vectorId, hash }, index) => {
          const embedding = vectors[index];
          return embedding === undefined ? [] : [{ vectorId, hash, embedding }];
        }),
        embedder.model,
      );
      after = last.vectorId;
      embedded += missing.length;
      onProgress?.(gathered + embedded, texts);
    }
    // A single drawer may have been written meanwhile.
  } while (!reembedding.finish());
  palace.tidy();
  return { texts: gathered + embedded, resumed: gathered, embedded };
}

/** Texts per second of a model on some texts of the palace, loading it not counted; undefined without texts. */
export async function speedOf(embedder: Embedder, palace: Palace): Promise<number | undefined> {
  const sample = palace.reembedding.sample(SAMPLE_TEXTS);
  if (sample.length === 0) return undefined;
  const started = performance.now();
  await embedder.embed(sample, 'passage');
  return sample.length / ((performance.now() - started) / 1000);
}

function interruptIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw interruption(signal.reason);
}

function interruption(reason: unknown): UserError {
  return new UserError('interrupted', 'interrupted', {
    hint: 'the old vectors serve; mempalace reembed goes on from here',
    cause: reason,
  });
}
