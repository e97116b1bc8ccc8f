/** The embedding worker thread: inference blocks the thread it runs in, so mining keeps it out of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { type FromWorker, type ToWorker, toSent, type WorkerData } from './client.js';
import { Engine } from './engine.js';
import { NativeGate } from './gate.js';
import { localModel } from './registry.js';

const port = parentPort;
if (port === null) throw new Error('worker.js runs as a worker thread only');
const { modelId, gate: shared, ...options }: WorkerData = workerData;
const gate = new NativeGate(shared);

const send = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

/** Calls under way, by their ids. */
const calls = new Map<number, AbortController>();

async function embed(
  engine: Engine,
  { id, texts, role }: Extract<ToWorker, { kind: 'embed' }>,
): Promise<void> {
  const dropped = new AbortController();
  calls.set(id, dropped);
  try {
    const found = await engine.embed(texts, role, dropped.signal, (share) =>
      send({ kind: 'advanced', id, share }),
    );
    const { dimension } = engine.model;
    const vectors = new Float32Array(found.length * dimension);
    for (const [index, vector] of found.entries()) vectors.set(vector, index * dimension);
    send({ kind: 'embedded', id, vectors }, [vectors.buffer]);
  } catch (error) {
    send({ kind: 'failed', id, error: toSent(error) });
  } finally {
    calls.delete(id);
  }
}

try {
  const native = <T>(call: () => Promise<T>): Promise<T> => gate.pass(call);
  const engine = await native(() => Engine.load({ ...options, model: localModel(modelId), native }));
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'embed') void embed(engine, message);
    else if (message.kind === 'drop') calls.get(message.id)?.abort();
    else void engine.release().finally(() => port.close());
  });
  send({ kind: 'ready' });
} catch (error) {
  send({ kind: 'failed', id: undefined, error: toSent(error) });
}
