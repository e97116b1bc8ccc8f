import { arch, availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { inPackage } from '../platform/in-package.js';
import { textOrEmpty } from '../platform/read-text.js';
import { connect, type WorkerData } from './client.js';
import { isEndpoint } from './endpoint-id.js';
import { modelFolder, requireModelFiles } from './files.js';
import { NativeGate } from './gate.js';
import type { Embedder, EmbeddingModel } from './model.js';
import { DEFAULT_MODEL_ID, localModel, modelById } from './registry.js';

// ONNX Runtime's builds for Linux and macOS send usage data to Microsoft, and crash on some command lines when they
// do. It reads the environment when it is loaded, which is later; worker threads share it.
process.env.ORT_DISABLE_TELEMETRY = '1';

/** Compiled, also where this module runs as TypeScript (tests): a thread does not inherit a test runner's loader. */
const WORKER_FILE = 'dist/embedding/worker.cjs';

export interface EmbedderOptions {
  /** Of the registry, or an endpoint (`URL#model`); default `DEFAULT_MODEL_ID`. */
  modelId?: string | undefined;
  /** Threads per inference in a worker; default: the number of physical cores. */
  threads?: number | undefined;
  /** Of texts in a worker. Default `large`; `small` if questions are asked meanwhile: they wait for the running batch. */
  batch?: 'small' | 'large' | undefined;
  /** Folder of the model's files; default `modelFolder(model, env)`. */
  folder?: string | undefined;
  /** For the folder of pulled models, and the key and proxies of an endpoint. */
  env?: NodeJS.ProcessEnv | undefined;
  /** Of an endpoint's vectors, as recorded in the palace; if absent, one text is sent to measure it. */
  dimension?: number | undefined;
}

/**
 * Starts one worker thread with tokenizer and session, for mining; the calling thread is not blocked. An endpoint does
 * not need a thread.
 *
 * @throws UserError when the model is unknown or not pulled, one of its files is missing or damaged, the thread
 *   fails, or the endpoint does not answer
 */
export async function startEmbedder(options: EmbedderOptions = {}): Promise<Embedder> {
  const { modelId = DEFAULT_MODEL_ID, threads = inferenceThreads(), batch = 'large' } = options;
  if (isEndpoint(modelId)) return openEndpoint(modelId, options);
  const { model, folder } = located(modelId, options);
  const gate = new NativeGate();
  const data: WorkerData = { modelId, folder, threads, purpose: 'many', batch, gate: gate.shared };
  // Without execArgv a worker inherits flags of the main thread, such as a test runner's loaders.
  return connect(new Worker(inPackage(WORKER_FILE), { workerData: data, execArgv: [] }), model, gate);
}

/**
 * Loads the model into the calling thread, which it blocks during its work: for one question.
 *
 * @throws as `startEmbedder`
 */
export async function loadEmbedder(options: EmbedderOptions = {}): Promise<Embedder> {
  const { modelId = DEFAULT_MODEL_ID } = options;
  if (isEndpoint(modelId)) return openEndpoint(modelId, options);
  const { Engine } = await import('./engine.js');
  // More threads cost 40 ms of processor time to start and to synchronise, without a gain here.
  return Engine.load({ ...located(modelId, options), threads: 1, purpose: 'few', batch: 'small' });
}

/**
 * The model of an id with all properties that a palace records. An endpoint is sent one text, to measure the dimension
 * of its vectors.
 *
 * @throws UserError `usage` for an unknown id; for an endpoint as `loadEmbedder` does
 */
export async function findModel(id: string, env: NodeJS.ProcessEnv): Promise<EmbeddingModel> {
  if (!isEndpoint(id)) return modelById(id);
  const embedder = await openEndpoint(id, { env });
  await embedder.close();
  return embedder.model;
}

/**
 * Checks, without loading it, that a model's files are present. Endpoints are not asked.
 *
 * @throws UserError `usage` for an unknown id; `not-found` for a model that is not pulled; `failed` for a damaged one
 */
export async function requireModel(id: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (isEndpoint(id)) return;
  const { model, folder } = located(id, { env });
  await requireModelFiles(model, folder);
}

function located(id: string, { env, folder }: EmbedderOptions) {
  const model = localModel(id);
  return { model, folder: folder ?? modelFolder(model, env) };
}

async function openEndpoint(id: string, { dimension, env = {} }: EmbedderOptions): Promise<Embedder> {
  const { Endpoint } = await import('./endpoint.js');
  return Endpoint.open(id, dimension, env);
}

/**
 * How many inference threads are worth starting: the physical cores this process may use. More threads than
 * those cost half the speed (measured on two cores: 1, 2, 3, 4 threads → 36, 63, 38, 33 texts/s).
 *
 * @public bench/embedding-baseline.mjs compares with it
 */
export function inferenceThreads(): number {
  const usable = availableParallelism();
  return Math.max(1, Math.floor(Math.min(usable, physicalCores(usable), cpuQuota())));
}

/** Linux says which logical processors share a core; elsewhere two per core are assumed, except on arm64. */
function physicalCores(logical: number): number {
  const cores = new Set<string>();
  for (let cpu = 0; cpu < logical; cpu++) {
    const siblings = textOrEmpty(`/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`);
    if (siblings === '') return arch() === 'arm64' ? logical : Math.ceil(logical / 2);
    cores.add(siblings);
  }
  return cores.size;
}

/** Cores that a container's cgroup (v2) grants, infinite without a limit. */
function cpuQuota(): number {
  const [quota, period] = textOrEmpty('/sys/fs/cgroup/cpu.max').split(' ').map(Number);
  return quota === undefined || period === undefined || Number.isNaN(quota) ? Infinity : quota / period;
}
