import { messageOf, UserError } from '../../core/errors.js';
import type { Embedder } from '../../embedding/index.js';
import { untilAborted } from '../../platform/until-aborted.js';
import { ModelChanged, type ModelIdentity, sameModel } from '../../store/index.js';

/** Pause before the model is loaded again after a failure; each further pause is twice as long. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;

type State =
  | { is: 'absent' }
  | { is: 'loading'; identity: ModelIdentity; done: Promise<Embedder> }
  | { is: 'loaded'; identity: ModelIdentity; embedder: Embedder }
  | { is: 'failed'; identity: ModelIdentity; error: unknown; until: number };

/**
 * The palace's model, loaded in its own thread; until then searches use words alone. After a failure the next call loads
 * it again, not earlier than a pause.
 */
export class WarmModel {
  #state: State = { is: 'absent' };
  #pause = FIRST_PAUSE_MS;
  #closed = false;

  readonly #clock: () => number;
  readonly #forSearch: boolean;

  /**
   * @param options.clock monotonic, milliseconds
   * @param options.forSearch default true; false: searches use words alone, and only `wait` loads the model
   */
  constructor(
    private readonly load: (identity: ModelIdentity) => Promise<Embedder>,
    { clock = () => performance.now(), forSearch = true }: { clock?: () => number; forSearch?: boolean } = {},
  ) {
    this.#clock = clock;
    this.#forSearch = forSearch;
  }

  /** For a search. Never waits. `reason` says why there is no embedder, if searches use one. */
  now(identity: ModelIdentity): { embedder: Embedder | undefined; reason: string | undefined } {
    if (!this.#forSearch) return { embedder: undefined, reason: undefined };
    const before = this.#state;
    const state = this.#advance(identity);
    if (state.is === 'loaded') return { embedder: state.embedder, reason: undefined };
    // The call that starts the next attempt reports the failure: no call may have come during the pause.
    const failed = [state, before].find((each) => each.is === 'failed' && sameModel(each.identity, identity));
    const reason =
      failed?.is === 'failed' ? explained(failed.error) : 'the model is being loaded: ask again in a moment';
    return { embedder: undefined, reason };
  }

  /** As `now`, or waits while the model is being loaded. */
  async forQuestion(identity: ModelIdentity, { patient, signal }: { patient: boolean; signal: AbortSignal }) {
    const { embedder, reason } = this.now(identity);
    const trouble = reason === undefined ? undefined : { text: reason };
    if (this.#state.is !== 'loading' || !patient) return { embedder, trouble };
    try {
      return { embedder: await this.#there(identity, signal), trouble: undefined };
    } catch (error) {
      signal.throwIfAborted();
      return { embedder: undefined, trouble: { text: explained(error) } };
    }
  }

  /**
   * Waits for the embedder, which tries once more when its thread has ended. An aborted text is not embedded: others wait
   * for the thread. `ModelChanged` is thrown when another call has found the palace with another model.
   *
   * @throws UserError that says why it cannot be loaded
   */
  async wait(identity: ModelIdentity, signal: AbortSignal): Promise<Embedder> {
    const embedder = await this.#there(identity, signal);
    return {
      ...embedder,
      embed: async (texts, role) => {
        try {
          return await embedder.embed(texts, role, signal);
        } catch (error) {
          if (this.#closed || signal.aborted || error instanceof ModelChanged) throw error;
          if (this.#state.is === 'failed') this.#begin(identity);
          return (await this.#there(identity, signal)).embed(texts, role, signal);
        }
      },
    };
  }

  async #there(identity: ModelIdentity, signal: AbortSignal): Promise<Embedder> {
    const state = this.#advance(identity);
    if (state.is === 'loaded') return state.embedder;
    if (state.is === 'failed') throw state.error;
    if (state.is === 'absent') throw new UserError('interrupted', 'the server ends');
    return untilAborted(state.done, signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#drop();
  }

  /** Begins to load the model of a palace where needed. */
  #advance(identity: ModelIdentity): State {
    const state = this.#state;
    if (this.#closed) return { is: 'absent' };
    const other = state.is !== 'absent' && !sameModel(state.identity, identity);
    const retry = state.is === 'failed' && this.#clock() >= state.until;
    if (state.is === 'absent' || other || retry) this.#begin(identity);
    return this.#state;
  }

  #begin(identity: ModelIdentity): void {
    void this.#drop();
    const done = this.load(identity).then((embedder) => this.#watched(embedder));
    const state: State = { is: 'loading', identity, done };
    this.#state = state;
    done.then(
      (embedder) => {
        if (this.#state === state) this.#state = { is: 'loaded', identity, embedder };
        else void embedder.close();
      },
      (error: unknown) => {
        if (this.#state === state) this.#fail(identity, error);
      },
    );
  }

  /** After a failed call the thread may have ended: the next call loads the model again. */
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
          // Closed by a call that found the palace with another model.
          if (state.is !== 'absent' && !sameModel(state.identity, embedder.model))
            throw new ModelChanged(state.identity);
          if (state.is === 'loaded' && state.embedder.model === embedder.model) {
            this.#fail(state.identity, error);
            await embedder.close();
          }
          throw error;
        }
      },
      close: () => embedder.close(),
    };
  }

  #fail(identity: ModelIdentity, error: unknown): void {
    this.#state = { is: 'failed', identity, error, until: this.#clock() + this.#pause };
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
