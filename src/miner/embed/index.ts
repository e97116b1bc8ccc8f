/** Texts to vectors: the model registry, and the embedder in a worker thread or in this one. */
export { type Embedder, loadEmbedder, startEmbedder } from './embedder.js';
export { modelFolder, verifyModel } from './files.js';
export { DEFAULT_MODEL_ID, modelById } from './registry.js';
export { embeddedText } from './text.js';
