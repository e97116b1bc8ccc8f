import { messageOf, UserError } from '../core/errors.js';
import type { Embedder } from '../embedding/index.js';
import { ModelChanged, type ModelIdentity, sameModel } from '../store/index.js';
import type { Model } from './tool.js';

/** After a failure the model is loaded again so long later, twice as long each time. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;

type State =
  | { is: 'absent' }
  | { is: 'loading'; held: ModelIdentity; done: Promise<Embedder> }
  | { is: 'loaded'; held: ModelIdentity; embedder: Embedder }
  | { is: 'failed'; held: ModelIdentity; error: unknown; until: number };

/**
 * The palace's model, loaded in a thread of its own while questions are answered by words alone. A thread that ends is
 * started again by the next call; what cannot be loaded is tried again after a pause.
 */
export class WarmModel implements Model {
  readonly #load: (held: ModelIdentity) => Promise<Embedder>;
  readonly #now: () => number;
  #state: State = { is: 'absent' };
  #pause = FIRST_PAUSE_MS;
  #closed = false;

  /** @param now milliseconds, of a clock that never goes back */
  constructor(load: (held: ModelIdentity) => Promise<Embedder>, now: () => number = () => performance.now()) {
    this.#load = load;
    this.#now = now;
  }

  now(held: ModelIdentity): { embedder: Embedder | undefined; reason: string | undefined } {
    const before = this.#state;
    const state = this.#advance(held);
    if (state.is === 'loaded') return { embedder: state.embedder, reason: undefined };
    // The call that starts the next attempt reports the failure: its pause may have passed before any call saw it.
    const failed = [state, before].find((each) => each.is === 'failed' && sameModel(each.held, held));
    const reason =
      failed?.is === 'failed' ? explained(failed.error) : 'the model is being loaded: ask again in a moment';
    return { embedder: undefined, reason };
  }

  /**
   * What it gives tries once more where the thread has ended in between: who waits for it waits a little longer. What
   * the signal ends is not embedded: others wait behind it. It throws `ModelChanged` when another call has met the
   * palace with another model.
   */
  async wait(held: ModelIdentity, signal: AbortSignal): Promise<Embedder> {
    const embedder = await this.#there(held, signal);
    return {
      ...embedder,
      embed: async (texts, role) => {
        try {
          return await embedder.embed(texts, role, signal);
        } catch (error) {
          if (this.#closed || signal.aborted || error instanceof ModelChanged) throw error;
          if (this.#state.is === 'failed') this.#begin(held);
          return (await this.#there(held, signal)).embed(texts, role, signal);
        }
      },
    };
  }

  async #there(held: ModelIdentity, signal: AbortSignal): Promise<Embedder> {
    const state = this.#advance(held);
    if (state.is === 'loaded') return state.embedder;
    if (state.is === 'failed') throw state.error;
    if (state.is === 'absent') throw new UserError('interrupted', 'the server ends');
    return unlessAborted(state.done, signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#drop();
  }

  /** Begins what is to be done so that the model of a palace is there. */
  #advance(held: ModelIdentity): State {
    const state = this.#state;
    if (this.#closed) return { is: 'absent' };
    const other = state.is !== 'absent' && !sameModel(state.held, held);
    const retry = state.is === 'failed' && this.#now() >= state.until;
    if (state.is === 'absent' || other || retry) this.#begin(held);
    return this.#state;
  }

  #begin(held: ModelIdentity): void {
    void this.#drop();
    const done = this.#load(held).then((embedder) => this.#watched(embedder));
    const state: State = { is: 'loading', held, done };
    this.#state = state;
    done.then(
      (embedder) => {
        if (this.#state === state) this.#state = { is: 'loaded', held, embedder };
        else void embedder.close();
      },
      (error: unknown) => {
        if (this.#state === state) this.#fail(held, error);
      },
    );
  }

  /** A failed call means that its thread may be gone: the next one begins again. */
  #watched(embedder: Embedder): Embedder {
    return {
      model: embedder.model,
      embed: async (texts, role, signal) => {
        try {
          const vectors = await embedder.embed(texts, role, signal);
          this.#pause = FIRST_PAUSE_MS;
          return vectors;
        } catch (error) {
          if (signal?.aborted) throw error;
          const state = this.#state;
          // Closed for a call that met the palace with another model.
          if (state.is !== 'absent' && !sameModel(state.held, embedder.model))
            throw new ModelChanged(state.held);
          if (state.is === 'loaded' && state.embedder.model === embedder.model) {
            this.#fail(state.held, error);
            await embedder.close();
          }
          throw error;
        }
      },
      close: () => embedder.close(),
    };
  }

  #fail(held: ModelIdentity, error: unknown): void {
    this.#state = { is: 'failed', held, error, until: this.#now() + this.#pause };
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
  }

  async #drop(): Promise<void> {
    const state = this.#state;
    this.#state = { is: 'absent' };
    if (state.is === 'loaded') await state.embedder.close();
    if (state.is === 'loading') await state.done.then((embedder) => embedder.close()).catch(() => undefined);
  }
}

function explained(error: unknown): string {
  const hint = error instanceof UserError && error.hint !== undefined ? ` (${error.hint})` : '';
  return `${messageOf(error)}${hint}`;
}

/** What a promise gives, unless the signal aborts first. @throws the signal's reason */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    // Nobody waits for it any more: its failure must not end the process.
    promise.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
