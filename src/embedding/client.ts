import type { Worker } from 'node:worker_threads';
import { type ErrorCode, messageOf, UserError } from '../core/errors.js';
import type { EngineOptions } from './engine.js';
import type { NativeGate } from './gate.js';
import type { Embedder, EmbeddingModel, OnAdvance } from './model.js';

/** What the worker thread is started with. */
export interface WorkerData extends Pick<EngineOptions, 'folder' | 'threads' | 'purpose'> {
  modelId: string;
  /** Of the `NativeGate` between the threads. */
  gate: SharedArrayBuffer;
}

export type ToWorker =
  | { kind: 'embed'; id: number; texts: string[]; role: 'passage' | 'query' }
  /** Nobody waits for it any more. */
  | { kind: 'drop'; id: number }
  | { kind: 'close' };

/** `vectors` contains all vectors of the call, one after another. */
export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'advanced'; id: number; share: number }
  | { kind: 'embedded'; id: number; vectors: Float32Array }
  | { kind: 'failed'; id: number | undefined; error: SentError };

/** An error in the form sent between threads, which lose its class. */
interface SentError {
  code: ErrorCode;
  message: string;
  hint: string | undefined;
}

export function toSent(error: unknown): SentError {
  if (error instanceof UserError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: 'failed', message: `embedding failed: ${messageOf(error)}`, hint: undefined };
}

function fromSent({ code, message, hint }: SentError): UserError {
  return new UserError(code, message, hint === undefined ? {} : { hint });
}

interface Call {
  onAdvance: OnAdvance | undefined;
  resolve: (vectors: Float32Array[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Speaks with a worker thread that runs worker.js. Calls may overlap; the worker takes them in order. The
 * thread keeps the process alive only while a call is under way.
 *
 * @param gate the worker's; closed when the process exits while the worker lives
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
  const settle = (id: number): Call | undefined => {
    const call = calls.get(id);
    calls.delete(id);
    if (calls.size === 0 && ended === undefined) worker.unref();
    return call;
  };

  await new Promise<void>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') resolve();
      else if (message.kind === 'advanced') calls.get(message.id)?.onAdvance?.(message.share);
      else if (message.kind === 'embedded')
        settle(message.id)?.resolve(split(message.vectors, model.dimension));
      else if (message.id === undefined) reject(fromSent(message.error));
      else settle(message.id)?.reject(fromSent(message.error));
    });
    worker.on('error', (error: unknown) => {
      end(
        new UserError('failed', `the embedding thread failed: ${messageOf(error)}`, {
          cause: error,
          hint: RETRY,
        }),
      );
      reject(ended);
    });
    worker.on('exit', (code) => {
      end(new UserError('failed', `the embedding thread ended unexpectedly (code ${code})`, { hint: RETRY }));
      reject(ended);
    });
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
      // Not terminate(): it would abort the process in the middle of a batch (gate.ts).
      post({ kind: 'close' });
      await exited;
    },
  };
}

const RETRY = 'run the command again; if it happens again, there may be too little memory';

function split(vectors: Float32Array, dimension: number): Float32Array[] {
  const count = vectors.length / dimension;
  return Array.from({ length: count }, (_, index) =>
    vectors.slice(index * dimension, (index + 1) * dimension),
  );
}
