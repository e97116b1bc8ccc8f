import { Worker } from 'node:worker_threads';
import { inPackage } from '../platform/in-package.js';
import { connect, type WorkerData } from './client.js';
import { inferenceThreads } from './cores.js';
import { isEndpoint } from './endpoint-id.js';
import { modelFolder, requireModelFiles } from './files.js';
import { NativeGate } from './gate.js';
import type { Embedder, EmbeddingModel } from './model.js';
import { DEFAULT_MODEL_ID, localModel, modelById } from './registry.js';

// ONNX Runtime's builds for Linux and macOS send usage data to Microsoft, and crash on some command lines while
// they do. It reads the environment when it is loaded, which is after this; worker threads share it.
process.env.ORT_DISABLE_TELEMETRY = '1';

/** Compiled, also where this module runs as TypeScript (tests): a thread does not inherit a test runner's loader. */
const WORKER_FILE = 'dist/embedding/worker.js';

export interface EmbedderOptions {
  /** Of the registry, or an endpoint (`URL#model`); default `DEFAULT_MODEL_ID`. */
  modelId?: string | undefined;
  /** Threads of one inference; default: the physical cores, for one question a single one. */
  threads?: number | undefined;
  /** Folder of the model's files; default `modelFolder(model, env)`. */
  folder?: string | undefined;
  /** Where pulled models lie, and an endpoint's key and proxies; only the embedded model does without. */
  env?: NodeJS.ProcessEnv | undefined;
  /** Of an endpoint's vectors, where the palace records it; else one text is sent to find out. */
  dimension?: number | undefined;
}

/**
 * Starts one worker thread that holds tokenizer and session: for mining. The calling thread stays free.
 * (An endpoint needs no thread.)
 *
 * @throws UserError when the model is unknown or not pulled, a file of it is missing or damaged, the thread
 *   fails, or the endpoint does not answer
 */
export async function startEmbedder(options: EmbedderOptions = {}): Promise<Embedder> {
  if (isEndpoint(options.modelId ?? '')) return openEndpoint(options);
  const { model, folder, threads } = settled(options);
  await requireModelFiles(model, folder);
  const gate = new NativeGate();
  const data: WorkerData = { modelId: model.id, folder, threads, purpose: 'many', gate: gate.shared };
  // Without execArgv a worker inherits flags of the main thread, such as a test runner's loaders.
  return connect(new Worker(inPackage(WORKER_FILE), { workerData: data, execArgv: [] }), model, gate);
}

/**
 * Loads the model into the calling thread, which it blocks while it works: for one question.
 *
 * @throws UserError like `startEmbedder`
 */
export async function loadEmbedder(options: EmbedderOptions = {}): Promise<Embedder> {
  if (isEndpoint(options.modelId ?? '')) return openEndpoint(options);
  const { Engine } = await import('./engine.js');
  // More threads cost 40 ms of processor time to start and to wait for each other, and gain nothing here.
  const { model, folder, threads } = settled({ threads: 1, ...options });
  const engine = await Engine.load({ model, folder, threads, purpose: 'few' });
  return {
    model,
    embed: (texts, role = 'passage', signal, onAdvance) => engine.embed(texts, role, signal, onAdvance),
    close: () => engine.release(),
  };
}

/**
 * The model of an id with everything that a palace records of it. Answers at once for models of the registry;
 * an endpoint is sent one text, to learn the dimension of its vectors.
 *
 * @throws UserError `usage` for an unknown id; what `loadEmbedder` throws for an endpoint
 */
export async function findModel(id: string, env: NodeJS.ProcessEnv): Promise<EmbeddingModel> {
  if (!isEndpoint(id)) return modelById(id);
  const embedder = await openEndpoint({ modelId: id, env });
  await embedder.close();
  return embedder.model;
}

/**
 * Checks, without loading it, that a model can be used here: its files are there. Endpoints are not asked.
 *
 * @throws UserError `usage` for an unknown id; `not-found` for a model that is not pulled, with its cure;
 *   `failed` for a damaged one
 */
export async function requireModel(id: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (isEndpoint(id)) return;
  const { model, folder } = settled({ modelId: id, env });
  await requireModelFiles(model, folder);
}

function settled({ modelId = DEFAULT_MODEL_ID, threads, folder, env }: EmbedderOptions) {
  const model = localModel(modelId);
  return { model, folder: folder ?? modelFolder(model, env), threads: threads ?? inferenceThreads() };
}

async function openEndpoint({ modelId = '', dimension, env }: EmbedderOptions): Promise<Embedder> {
  if (env === undefined) throw new Error('an endpoint is opened with an environment, and none was given');
  const { connectEndpoint } = await import('./endpoint.js');
  return connectEndpoint({ id: modelId, dimension, env });
}
