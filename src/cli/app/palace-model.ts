import type { Config } from '../../config/index.js';
import { UserError } from '../../core/errors.js';
import {
  DEFAULT_MODEL_ID,
  type EmbeddingModel,
  findModel,
  isEndpoint,
  LOCAL_MODELS,
  modelById,
  requireModel,
} from '../../embedding/index.js';
import type { ModelIdentity } from '../../store/index.js';
import { line } from '../terminal/terminal.js';
import type { CommandContext } from './runner.js';

/** The model whose vectors a palace holds; undefined where there is no palace yet. */
export async function palaceModel(folder: string): Promise<ModelIdentity | undefined> {
  const { Palace } = await import('../../store/index.js');
  try {
    return Palace.look(folder, ({ model }) => model);
  } catch (error) {
    if (error instanceof UserError && error.code === 'not-found') return undefined;
    throw error;
  }
}

/**
 * This program's model for the vectors of a palace.
 *
 * @throws UserError `failed` when it has no such model, or another revision of it
 */
export function modelFor(held: ModelIdentity): EmbeddingModel {
  if (!isEndpoint(held.id) && !LOCAL_MODELS.some(({ id }) => id === held.id)) {
    throw new UserError('failed', `this program does not know ${line(held.id)}, the model of the palace`, {
      hint: `update mempalace-toolkit, or: mempalace reembed --model ${DEFAULT_MODEL_ID}`,
    });
  }
  const model = modelById(held.id, held.dimension);
  if (model.revision === held.revision && model.dimension === held.dimension) return model;
  throw new UserError(
    'failed',
    `the palace holds vectors of ${held.id} ${held.revision}, which ${model.revision} cannot be compared with`,
    { hint: `mempalace reembed --model ${held.id}` },
  );
}

/**
 * The model to file with: the palace's, where there is a palace, else the configured one, which must be here.
 *
 * @throws UserError as `modelFor`, `findModel` and `requireModel` do
 */
export async function filingModel(
  folder: string,
  { config, env, terminal }: CommandContext,
): Promise<EmbeddingModel> {
  const held = await palaceModel(folder);
  if (held === undefined) {
    // Before the palace is made: it would be one of a model that its owner cannot use.
    await requireModel(config.model, env);
    return findModel(config.model, env);
  }
  const wanted = configuredModel(config);
  if (wanted !== undefined && !isSameId(held.id, wanted)) {
    terminal.note(
      `the palace holds vectors of ${line(held.id)}, the configuration says ${line(wanted)}: mempalace reembed --model ${line(wanted)} switches`,
    );
  }
  return modelFor(held);
}

/** The model that somebody chose; undefined where it is the default, which says nothing of a palace that has one. */
export function configuredModel(config: Config): string | undefined {
  return config.origins.get('model') === 'default' ? undefined : config.model;
}

/** One endpoint may be written in several ways. */
export function isSameId(one: string, other: string): boolean {
  const canonical = (id: string): string => (isEndpoint(id) ? modelById(id, 0).id : id);
  return canonical(one) === canonical(other);
}
