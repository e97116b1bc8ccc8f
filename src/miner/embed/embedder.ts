import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { connect } from './client.js';
import { inferenceThreads } from './cores.js';
import { modelFolder, requireModelFiles } from './files.js';
import { NativeGate } from './gate.js';
import type { WorkerData } from './protocol.js';
import { DEFAULT_MODEL_ID, type EmbeddingModel, modelById } from './registry.js';

// ONNX Runtime's builds for Linux and macOS send usage data to Microsoft, and crash on some command lines while
// they do. It reads the environment when it is loaded, which is after this; worker threads share it.
process.env.ORT_DISABLE_TELEMETRY = '1';

export interface Embedder {
  readonly model: EmbeddingModel;
  /**
   * One vector of `model.dimension` numbers and length 1 per text, in the order of the texts. Texts longer
   * than the model's window are the mean of their windows; the empty text has a vector too (that of no
   * tokens), which says nothing. Calls may overlap and are answered in order. Calls of some 50 texts or more
   * make full batches; single texts are slower by a third.
   *
   * @param role default `passage`
   * @throws UserError when the model or its thread fails, and `interrupted` once closed
   */
  embed(texts: string[], role?: 'passage' | 'query'): Promise<Float32Array[]>;
  /** Frees model and thread; calls under way are rejected. Never fails, may be called twice. */
  close(): Promise<void>;
}

export interface EmbedderOptions {
  /** Default `DEFAULT_MODEL_ID`. */
  modelId?: string | undefined;
  /** Threads of one inference; default: the physical cores, for one question a single one. */
  threads?: number | undefined;
  /** Folder of the model's files; default `modelFolder(model)`. */
  folder?: string | undefined;
}

/**
 * Starts one worker thread that holds tokenizer and session: for mining. The calling thread stays free.
 *
 * @throws UserError when the model is unknown, a file of it is missing or damaged, or the thread fails
 */
export async function startEmbedder(options: EmbedderOptions = {}): Promise<Embedder> {
  const { model, folder, threads } = settled(options);
  requireModelFiles(model, folder);
  const gate = new NativeGate();
  const data: WorkerData = { modelId: model.id, folder, threads, purpose: 'many', gate: gate.shared };
  // Without execArgv a worker inherits flags of the main thread, such as a test runner's loaders.
  return connect(new Worker(workerFile(), { workerData: data, execArgv: [] }), model, gate);
}

/**
 * Loads the model into the calling thread, which it blocks while it works: for one question.
 *
 * @throws UserError like `startEmbedder`
 */
export async function loadEmbedder(options: EmbedderOptions = {}): Promise<Embedder> {
  const { Engine } = await import('./engine.js');
  // More threads cost 40 ms of processor time to start and to wait for each other, and gain nothing here.
  const { model, folder, threads } = settled({ threads: 1, ...options });
  const engine = await Engine.load({ model, folder, threads, purpose: 'few' });
  return {
    model,
    embed: (texts, role = 'passage') => engine.embed(texts, role),
    close: () => engine.release(),
  };
}

function settled({ modelId = DEFAULT_MODEL_ID, threads, folder }: EmbedderOptions) {
  const model = modelById(modelId);
  return { model, folder: folder ?? modelFolder(model), threads: threads ?? inferenceThreads() };
}

/**
 * The compiled worker. When this module runs as TypeScript (tests), the one in dist/ is taken: a worker
 * thread does not inherit the test runner's TypeScript loader.
 */
function workerFile(): string {
  const compiled = import.meta.url.endsWith('.ts') ? '../../../dist/miner/embed/worker.js' : './worker.js';
  return fileURLToPath(new URL(compiled, import.meta.url));
}
