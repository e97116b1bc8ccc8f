/** The embedding worker thread: inference blocks its thread, so mining runs it in another one. */
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, UserError } from '../core/errors.js';
import type { FromWorker, ToWorker, WorkerData } from './client.js';
import { Engine } from './engine.js';
import { NativeGate } from './gate.js';
import { localModel } from './registry.js';

const port = parentPort;
if (port === null) throw new Error('worker.cjs runs as a worker thread only');
const { modelId, gate: shared, ...options }: WorkerData = workerData;
const gate = new NativeGate(shared);

const send = (message: FromWorker): void => port.postMessage(message);

/** Sent as fields, since an error loses its class between threads. */
function sendFailure(id: number | undefined, error: unknown): void {
  const known = error instanceof UserError ? error : undefined;
  const { code, message, hint } = known ?? new UserError('failed', `embedding failed: ${messageOf(error)}`);
  send({ kind: 'failed', id, code, message, hint });
}

/** Running calls by their ids. */
const calls = new Map<number, AbortController>();

async function embed(
  engine: Engine,
  { id, texts, role }: Extract<ToWorker, { kind: 'embed' }>,
): Promise<void> {
  const dropped = new AbortController();
  calls.set(id, dropped);
  try {
    const advance = (share: number): void => send({ kind: 'advanced', id, share });
    send({ kind: 'embedded', id, vectors: await engine.embed(texts, role, dropped.signal, advance) });
  } catch (error) {
    sendFailure(id, error);
  } finally {
    calls.delete(id);
  }
}

const native = <T>(call: () => Promise<T>): Promise<T> => gate.pass(call);
// Without a top-level `await`: the build joins it as CommonJS.
native(() => Engine.load({ ...options, model: localModel(modelId), native }))
  .then((engine) => {
    port.on('message', (message: ToWorker) => {
      if (message.kind === 'embed') void embed(engine, message);
      else if (message.kind === 'drop') calls.get(message.id)?.abort();
      else void engine.close().finally(() => port.close());
    });
    send({ kind: 'ready' });
  })
  .catch((error: unknown) => sendFailure(undefined, error));
