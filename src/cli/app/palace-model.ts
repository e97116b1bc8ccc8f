import type { Config } from '../../config/index.js';
import { UserError } from '../../core/errors.js';
import {
  DEFAULT_MODEL_ID,
  type Embedder,
  type EmbeddingModel,
  findModel,
  isEndpoint,
  LOCAL_MODELS,
  modelById,
  requireModel,
  startEmbedder,
} from '../../embedding/index.js';
import type { ModelIdentity } from '../../store/index.js';
import { line, type ProgressLine } from '../../terminal/terminal.js';
import type { CommandContext } from './runner.js';

/** The model of a palace's vectors; undefined if there is no palace yet. */
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
 * @throws UserError `failed` if it has no such model, or another revision of it
 */
export function modelFor(stored: ModelIdentity): EmbeddingModel {
  if (!isEndpoint(stored.id) && !LOCAL_MODELS.some(({ id }) => id === stored.id)) {
    throw new UserError('failed', `this program does not know the palace's model, ${line(stored.id)}`, {
      hint: `update mempalace-toolkit, or: mempalace reembed --model ${DEFAULT_MODEL_ID}`,
    });
  }
  const model = modelById(stored.id, stored.dimension);
  if (model.revision === stored.revision && model.dimension === stored.dimension) return model;
  throw new UserError(
    'failed',
    `the vectors of the palace are from ${stored.id} ${stored.revision}; this program has ${model.revision}, whose vectors cannot be compared with them`,
    { hint: `mempalace reembed --model ${stored.id}` },
  );
}

/**
 * The model to file with: the palace's if there is one, else the configured model, which must be installed.
 *
 * @throws UserError as `modelFor`, `findModel` and `requireModel` do
 */
export async function filingModel(
  folder: string,
  { config, env, terminal }: CommandContext,
): Promise<EmbeddingModel> {
  const stored = await palaceModel(folder);
  if (stored === undefined) {
    // Checked before the palace is created, which would be bound to a model that cannot be used.
    await requireModel(config.model, env);
    return findModel(config.model, env);
  }
  const wanted = configuredModel(config);
  if (wanted !== undefined && !isSameId(stored.id, wanted)) {
    terminal.note(
      `the palace uses the model ${line(stored.id)}, but the configuration names ${line(wanted)}; mempalace reembed --model ${line(wanted)} switches to it`,
    );
  }
  return modelFor(stored);
}

/** Where the text goes that is filed or searched; undefined for a model that runs in this process. */
export function remoteModelWarning({ id, reach }: EmbeddingModel): string | undefined {
  if (reach === 'process') return undefined;
  const where = reach === 'machine' ? 'another process on this machine' : 'another machine';
  return `text that is filed or searched is sent to ${id}: ${where}`;
}

/** Opens a model's embedder, and warns if the model is behind an endpoint. */
export async function openEmbedder(
  model: EmbeddingModel,
  { terminal, env, startEmbedder: start = startEmbedder }: CommandContext,
  open: NonNullable<CommandContext['startEmbedder']> = start,
): Promise<Embedder> {
  const warning = remoteModelWarning(model);
  if (warning !== undefined) terminal.warn(line(warning));
  return open({ modelId: model.id, dimension: model.dimension, env });
}

/** The model that the user configured; undefined for the default, which does not apply to an existing palace. */
export function configuredModel(config: Config): string | undefined {
  return config.origins.get('model') === 'default' ? undefined : config.model;
}

/** Compares ids; the URL of an endpoint may be written in several ways. */
export function isSameId(one: string, other: string): boolean {
  const canonical = (id: string): string => (isEndpoint(id) ? modelById(id, 0).id : id);
  return canonical(one) === canonical(other);
}

/**
 * Shows a progress bar while `work` runs with one embedder. The embedder starts with the first text; if it runs in another
 * process, a warning is printed then.
 *
 * @param unit of the bar
 */
export function withEmbedder<T>(
  label: string,
  modelOf: () => EmbeddingModel,
  context: CommandContext,
  work: (embedder: () => Promise<Embedder>, bar: ProgressLine) => Promise<T>,
  unit?: 'bytes',
): Promise<T> {
  let started: Promise<Embedder> | undefined;
  const withBar = async (bar: ProgressLine): Promise<T> => {
    const begin = async (): Promise<Embedder> => {
      // The bar makes room for a warning, until its next update.
      bar.stop();
      return openEmbedder(modelOf(), context);
    };
    const embedder = () => {
      started ??= begin();
      return started;
    };
    try {
      return await work(embedder, bar);
    } finally {
      bar.stop();
      await (await started?.catch(() => undefined))?.close();
    }
  };
  return context.terminal.during(label, withBar, unit);
}
