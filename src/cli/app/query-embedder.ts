import { UserError } from '../../core/errors.js';
import type { Embedder } from '../../embedding/index.js';
import { type Hit, type SearchOptions, search } from '../../search/index.js';
import { ModelChanged, type Palace, sameModel } from '../../store/index.js';
import { line } from '../terminal/terminal.js';
import { modelFor } from './palace-model.js';
import { remoteModelWarning } from './remote-model-warning.js';
import type { CommandContext } from './runner.js';

/**
 * The embedder of the palace's model for one question after the other. Where that model is not there, a
 * palace is searched by words alone, and it is said once why.
 */
export class QueryEmbedder {
  readonly #palace: Palace;
  readonly #session: CommandContext;
  #embedder: Embedder | undefined;
  /** Why questions are looked up by words alone, with the cure. */
  #trouble: string | undefined;

  constructor(palace: Palace, context: CommandContext) {
    this.#palace = palace;
    this.#session = context;
  }

  /** What is to be said beside hits that were found by words alone. */
  get notes(): string[] {
    return this.#trouble === undefined ? [] : [this.#trouble];
  }

  /** `search` with this embedder; once more when the palace changes its model in between. */
  async search(options: Omit<SearchOptions, 'palace' | 'embedder' | 'onUnembedded'>): Promise<Hit[]> {
    for (;;) {
      const embedder = await this.#ready();
      try {
        const onUnembedded = (reason: UserError): void => this.#explain(reason);
        return await search({ ...options, palace: this.#palace, embedder, onUnembedded });
      } catch (error) {
        if (!(error instanceof ModelChanged)) throw error;
      }
    }
  }

  /**
   * Loaded at the first question, and again when the palace has changed its model since.
   *
   * @returns undefined when the model is not there
   * @throws UserError `failed` when this program has no such model, or another revision of it
   */
  async #ready(): Promise<Embedder | undefined> {
    const held = this.#palace.model;
    if (this.#embedder !== undefined && sameModel(this.#embedder.model, held)) return this.#embedder;
    await this.close();
    const { env, terminal } = this.#session;
    const { loadEmbedder } = await import('../../embedding/index.js');
    const model = modelFor(held);
    try {
      const note = remoteModelWarning(model);
      if (note !== undefined) terminal.warn(note);
      this.#embedder = await loadEmbedder({ modelId: model.id, dimension: model.dimension, env });
      this.#trouble = undefined;
    } catch (error) {
      if (!(error instanceof UserError) || error.code === 'interrupted') throw error;
      this.#explain(error);
    }
    return this.#embedder;
  }

  /** Says, once for each reason, why questions are looked up by words alone. */
  #explain(reason: UserError): void {
    const cure = reason.hint === undefined ? '' : ` (${reason.hint})`;
    const trouble = `found by words alone: ${reason.message}${cure}`;
    if (trouble !== this.#trouble) this.#session.terminal.warn(line(trouble));
    this.#trouble = trouble;
  }

  async close(): Promise<void> {
    await this.#embedder?.close();
    this.#embedder = undefined;
  }
}
