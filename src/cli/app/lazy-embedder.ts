import type { Embedder, EmbeddingModel } from '../../embedding/index.js';
import { remoteModelWarning } from './remote-model-warning.js';
import type { CommandContext } from './runner.js';

export interface LazyEmbedder {
  start: () => Promise<Embedder>;
  /** Closes it if it was started. */
  close: () => Promise<void>;
}

/** One embedder for a run, which starts when a text needs it; it warns then where the text goes to another process. */
export function lazyEmbedder(
  modelOf: () => EmbeddingModel | Promise<EmbeddingModel>,
  { terminal, env }: CommandContext,
): LazyEmbedder {
  let started: Promise<Embedder> | undefined;
  const begin = async () => {
    const { startEmbedder } = await import('../../embedding/index.js');
    const model = await modelOf();
    const note = remoteModelWarning(model);
    if (note !== undefined) terminal.warn(note);
    return startEmbedder({ modelId: model.id, dimension: model.dimension, env });
  };
  return {
    start: () => {
      started ??= begin();
      return started;
    },
    close: async () => {
      const embedder = await started?.catch(() => undefined);
      await embedder?.close();
    },
  };
}
