import { unlessAborted } from './warm-model.js';

/** Lets one through at a time, in the order of their coming: writers of one server queue here, those of several at the lock. */
export class Turnstile {
  #last: Promise<unknown> = Promise.resolve();

  /** @throws what the signal aborts with, while it waits; what `work` throws */
  async pass<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let leave = (): void => {};
    this.#last = new Promise<void>((resolve) => {
      leave = resolve;
    });
    try {
      await unlessAborted(before, signal);
    } catch (error) {
      // Who stops waiting keeps nobody from following who is inside.
      before.then(leave, leave);
      throw error;
    }
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
