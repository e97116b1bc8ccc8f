import { UserError } from '../../core/errors.js';
import { type Embedder, loadEmbedder } from '../../embedding/index.js';
import { type Found, type SearchOptions, search } from '../../search/index.js';
import { usesMeaning } from '../../search/options.js';
import { ModelChanged, type Palace, sameModel } from '../../store/index.js';
import { line } from '../terminal/terminal.js';
import { modelFor, openEmbedder } from './palace-model.js';
import type { CommandContext } from './runner.js';

/**
 * The embedder of the palace's model, kept for several questions. If the model is missing, the palace is searched
 * by words only, with one warning.
 */
export class QueryEmbedder {
  #embedder: Embedder | undefined;
  /** Why searches use words only, with the hint. */
  #trouble: string | undefined;

  constructor(
    private readonly palace: Palace,
    private readonly context: CommandContext,
  ) {}

  /** Notes for the result of a search by words only. */
  get notes(): string[] {
    return this.#trouble === undefined ? [] : [this.#trouble];
  }

  /** Whether the last question was compared by meaning. */
  get isUsed(): boolean {
    return this.#embedder !== undefined && this.#trouble === undefined;
  }

  /** Searches again if the palace changes its model in between. Loads no model for a ranking by words alone. */
  async search(options: Omit<SearchOptions, 'palace' | 'embedder' | 'onUnembedded'>): Promise<Found> {
    for (;;) {
      const embedder = usesMeaning(options.ranking ?? 'relevance') ? await this.#ready() : undefined;
      try {
        const onUnembedded = (reason: UserError): void => this.#explain(reason);
        return await search({ ...options, palace: this.palace, embedder, onUnembedded });
      } catch (error) {
        if (!(error instanceof ModelChanged)) throw error;
      }
    }
  }

  /**
   * Loaded at the first question, and again after the palace changed its model.
   *
   * @returns undefined if the model is not installed
   * @throws UserError `failed` if this program has no such model, or another revision of it
   */
  async #ready(): Promise<Embedder | undefined> {
    const stored = this.palace.model;
    if (this.#embedder !== undefined && sameModel(this.#embedder.model, stored)) return this.#embedder;
    await this.close();
    const model = modelFor(stored);
    try {
      this.#embedder = await openEmbedder(model, this.context, loadEmbedder);
      this.#trouble = undefined;
    } catch (error) {
      if (!(error instanceof UserError) || error.code === 'interrupted') throw error;
      this.#explain(error);
    }
    return this.#embedder;
  }

  /** Warns once per reason. */
  #explain(reason: UserError): void {
    const cure = reason.hint === undefined ? '' : ` (${reason.hint})`;
    const trouble = `found by words alone: ${reason.message}${cure}`;
    if (trouble !== this.#trouble) this.context.terminal.warn(line(trouble));
    this.#trouble = trouble;
  }

  async close(): Promise<void> {
    await this.#embedder?.close();
    this.#embedder = undefined;
  }
}
