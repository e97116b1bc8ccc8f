import type { Worker } from 'node:worker_threads';
import { type ErrorCode, messageOf, UserError } from '../core/errors.js';
import type { EngineOptions } from './engine.js';
import type { NativeGate } from './gate.js';
import type { Embedder, EmbeddingModel, OnAdvance } from './model.js';

/** The worker thread is started with it. */
export interface WorkerData extends Pick<EngineOptions, 'folder' | 'threads' | 'purpose' | 'batch'> {
  modelId: string;
  /** Of the `NativeGate` between the threads. */
  gate: SharedArrayBuffer;
}

export type ToWorker =
  | { kind: 'embed'; id: number; texts: readonly string[]; role: 'passage' | 'query' }
  /** The caller no longer waits for the result. */
  | { kind: 'drop'; id: number }
  | { kind: 'close' };

/** A failure without an id is one of loading the model. */
export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'advanced'; id: number; share: number }
  | { kind: 'embedded'; id: number; vectors: Float32Array[] }
  | { kind: 'failed'; id: number | undefined; code: ErrorCode; message: string; hint: string | undefined };

interface Call {
  onAdvance: OnAdvance | undefined;
  resolve: (vectors: Float32Array[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Connects to a worker thread that runs worker.cjs. Calls may overlap; the worker answers them in order. The thread
 * keeps the process alive only during a call.
 *
 * @param gate the worker's; closed when the process exits before the worker
 * @throws UserError when the worker cannot load the model or ends before it is ready
 */
export async function connect(worker: Worker, model: EmbeddingModel, gate: NativeGate): Promise<Embedder> {
  const calls = new Map<number, Call>();
  let nextId = 0;
  let ended: UserError | undefined;
  const closeGate = (): void => gate.close();
  process.once('exit', closeGate);
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  void exited.then(() => process.off('exit', closeGate));

  const end = (error: UserError): void => {
    ended ??= error;
    for (const { reject } of calls.values()) reject(ended);
    calls.clear();
  };
  const settled = (id: number): Call | undefined => {
    const call = calls.get(id);
    calls.delete(id);
    if (calls.size === 0 && ended === undefined) worker.unref();
    return call;
  };

  await new Promise<void>((resolve, reject) => {
    const fail = (message: string, cause?: unknown): void => {
      end(new UserError('failed', message, { cause, hint: RETRY }));
      reject(ended);
    };
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') resolve();
      else if (message.kind === 'advanced') calls.get(message.id)?.onAdvance?.(message.share);
      else if (message.kind === 'embedded') settled(message.id)?.resolve(message.vectors);
      else {
        const { id, code, message: text, hint } = message;
        const error = new UserError(code, text, { hint });
        if (id === undefined) reject(error);
        else settled(id)?.reject(error);
      }
    });
    worker.on('error', (error) => fail(`the embedding thread failed: ${messageOf(error)}`, error));
    worker.on('exit', (code) => fail(`the embedding thread ended unexpectedly (code ${code})`));
  });
  worker.unref();

  const post = (message: ToWorker): void => worker.postMessage(message);
  return {
    model,
    embed(texts, role = 'passage', signal, onAdvance) {
      if (ended !== undefined) return Promise.reject(ended);
      if (signal?.aborted) return Promise.reject(signal.reason);
      const id = nextId++;
      const drop = (): void => {
        calls.get(id)?.reject(signal?.reason);
        post({ kind: 'drop', id });
      };
      return new Promise<Float32Array[]>((resolve, reject) => {
        calls.set(id, { resolve, reject, onAdvance });
        worker.ref();
        post({ kind: 'embed', id, texts, role });
        signal?.addEventListener('abort', drop, { once: true });
      }).finally(() => signal?.removeEventListener('abort', drop));
    },
    async close() {
      end(new UserError('interrupted', 'the embedder was closed'));
      worker.ref();
      // Not terminate(): it would abort the process during a batch (gate.ts).
      post({ kind: 'close' });
      await exited;
    },
  };
}

const RETRY = 'run the command again; if it happens again, there may be too little memory';
