import { UserError } from '../../core/errors.js';
import { packVectors } from '../../embedding/packed.js';
import { ModelChanged, sameModel } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Resources } from '../palace/resources.js';

/**
 * The model that searches have. Where they use none, it is not loaded for this.
 *
 * @throws ModelChanged if the palace has another model; UserError `failed` if there is none
 */
export async function embed(
  { handle, models }: Resources,
  { model, texts, role }: Input<'embed'>,
  { signal }: ServiceCall,
): Promise<Output<'embed'>> {
  const { model: stored } = handle.get();
  if (!sameModel(stored, model)) throw new ModelChanged(stored);
  const { embedder, trouble } = await models.forQuestion(stored, { patient: true, signal });
  if (embedder === undefined)
    throw new UserError('failed', trouble?.text ?? 'searches of this palace use words alone', {
      hint: trouble?.hint,
    });
  return { vectors: packVectors(await embedder.embed(texts, role, signal)) };
}
