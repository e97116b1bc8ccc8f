/** Texts to vectors: the model registry, and the embedder in a worker thread, in this one, in another process, or at an endpoint. */
export {
  type EmbedderOptions,
  findModel,
  loadEmbedder,
  requireModel,
  startEmbedder,
} from './embedder.js';
export { isEndpoint } from './endpoint-id.js';
export { modelFolder, shippedFolder, verifyModel } from './files.js';
export type { Embedder, EmbeddingModel, LocalModel } from './model.js';
export { modelsFolder } from './models-folder.js';
export { DEFAULT_MODEL_ID, LOCAL_MODELS, localModel, modelById, SUCCESSORS } from './registry.js';
export { textKey } from './text.js';
