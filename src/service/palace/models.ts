import type { Embedder } from '../../embedding/index.js';
import type { ModelIdentity } from '../../store/index.js';

/** Why meanings cannot be compared. `hint` is for a person at a terminal. */
export interface Trouble {
  text: string;
  hint?: string | undefined;
}

/** The models of a palace's vectors, as the program has them. */
export interface Models {
  /**
   * For a search; neither without an embedder nor with one when it cannot be had: `trouble` says why.
   *
   * @param options.patient wait for a model that is being loaded
   */
  forQuestion(
    identity: ModelIdentity,
    options: { patient: boolean; signal: AbortSignal },
  ): Promise<{ embedder: Embedder | undefined; trouble: Trouble | undefined }>;
  /** @throws UserError that says why it cannot be loaded */
  wait(identity: ModelIdentity, signal: AbortSignal): Promise<Embedder>;
  close(): Promise<void>;
}
