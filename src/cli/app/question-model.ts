import { UserError } from '../../core/errors.js';
import { type Embedder, loadEmbedder } from '../../embedding/index.js';
import type { Models } from '../../service/palace/models.js';
import { type ModelIdentity, sameModel } from '../../store/index.js';
import { modelFor, openEmbedder } from './palace-model.js';
import type { CommandContext } from './runner.js';

/** The palace's model in this thread, kept for several questions of one command. */
export class QuestionModel implements Models {
  #embedder: Embedder | undefined;

  constructor(private readonly context: CommandContext) {}

  /**
   * @returns no embedder if the model is not installed
   * @throws UserError `failed` if this program has no such model, or another revision of it
   */
  async forQuestion(identity: ModelIdentity) {
    const model = modelFor(identity);
    try {
      return { embedder: await this.#loaded(model), trouble: undefined };
    } catch (error) {
      if (!(error instanceof UserError) || error.code === 'interrupted') throw error;
      const { message: text, hint } = error;
      return { embedder: undefined, trouble: { text, hint } };
    }
  }

  async wait(identity: ModelIdentity): Promise<Embedder> {
    return this.#loaded(modelFor(identity));
  }

  /** Loaded at the first question, and again after the palace changed its model. */
  async #loaded(model: ReturnType<typeof modelFor>): Promise<Embedder> {
    if (this.#embedder !== undefined && sameModel(this.#embedder.model, model)) return this.#embedder;
    await this.close();
    this.#embedder = await openEmbedder(model, this.context, loadEmbedder);
    return this.#embedder;
  }

  async close(): Promise<void> {
    await this.#embedder?.close();
    this.#embedder = undefined;
  }
}
