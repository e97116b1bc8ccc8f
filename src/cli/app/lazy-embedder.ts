import type { Embedder, EmbeddingModel } from '../../embedding/index.js';
import { warnIfRemote } from './palace-model.js';
import type { CommandContext } from './runner.js';

export interface LazyEmbedder {
  start: () => Promise<Embedder>;
  /** Closes it if it was started. */
  close: () => Promise<void>;
}

/** One embedder for a run. It starts with the first text, and warns then if it runs in another process. */
export function lazyEmbedder(
  modelOf: () => EmbeddingModel | Promise<EmbeddingModel>,
  context: CommandContext,
): LazyEmbedder {
  let started: Promise<Embedder> | undefined;
  const begin = async () => {
    const { startEmbedder } = await import('../../embedding/index.js');
    const model = await modelOf();
    warnIfRemote(model, context);
    return startEmbedder({ modelId: model.id, dimension: model.dimension, env: context.env });
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
