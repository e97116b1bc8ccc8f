import { UserError } from '../core/errors.js';

const CLOSED = 0;
const BUSY = 1;
/** Longest wait for the running native call, in milliseconds; a batch takes less than a second. */
const WAIT_MS = 10_000;

/**
 * Keeps the process from ending during a worker's native call. Node ends worker threads when the process exits;
 * onnxruntime-node then returns from C++ into a dying thread, throws there, and the process aborts (observed with
 * 1.30.0 on Node 20). So the worker marks its native calls here. Before the process exits, the main thread closes the
 * gate and waits for the running call.
 */
export class NativeGate {
  readonly #cells: Int32Array;

  constructor(readonly shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.#cells = new Int32Array(shared);
  }

  /** In the worker: runs a native call, one at a time. @throws UserError `interrupted` when the gate is closed */
  async pass<T>(call: () => Promise<T>): Promise<T> {
    Atomics.store(this.#cells, BUSY, 1);
    try {
      // Read after BUSY is set: the closing thread sees the call, or the call sees it.
      if (Atomics.load(this.#cells, CLOSED) === 1)
        throw new UserError('interrupted', 'embedding was stopped');
      return await call();
    } finally {
      Atomics.store(this.#cells, BUSY, 0);
      Atomics.notify(this.#cells, BUSY);
    }
  }

  /** In the main thread: rejects further calls, and blocks until the running one ends. */
  close(): void {
    Atomics.store(this.#cells, CLOSED, 1);
    Atomics.wait(this.#cells, BUSY, 1, WAIT_MS);
  }
}
