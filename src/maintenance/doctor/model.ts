import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isErrno, UserError } from '../../core/errors.js';
import { plural } from '../../core/plural.js';
import {
  DEFAULT_MODEL_ID,
  type Embedder,
  type EmbeddingModel,
  isEndpoint,
  LOCAL_MODELS,
  type LocalModel,
  loadEmbedder,
  localModel,
  modelById,
  modelFolder,
  SUCCESSORS,
  shippedFolder,
  verifyModel,
} from '../../embedding/index.js';
import type { ModelIdentity } from '../../store/index.js';
import { type DoctorContext, type Found, fail, failure, ok, warn } from './context.js';
import { isCheckout, reinstallCure, updateCure } from './cure.js';

const SENTENCE = 'The palace remembers where the passage was filed.';
/** Processors round differently: the same text on two of them gives a cosine of 0.9999. */
const LEAST_COSINE = 0.999;
const referenceSchema = z.object({ text: z.string(), embedding: z.array(z.number()) });

/** Checks the files of the palace's model (or of a new palace's model), and runs it. */
export async function checkModel(context: DoctorContext): Promise<Found[]> {
  const { config, palaceModel, env } = context;
  const chosen = config === undefined || config.origins.get('model') === 'default' ? undefined : config.model;
  const id = palaceModel?.id ?? config?.model ?? DEFAULT_MODEL_ID;
  const findings: Found[] = [];
  if (palaceModel !== undefined) {
    const unknown = incomparable(palaceModel, context);
    if (unknown !== undefined) return [unknown];
    if (chosen !== undefined && (isEndpoint(chosen) ? modelById(chosen, 0).id : chosen) !== id) {
      const detail = `the palace contains vectors of ${id}, the configuration says ${chosen}`;
      const next = `mempalace model use ${id} keeps these vectors; mempalace reembed --model ${chosen} makes others`;
      findings.push(warn(detail, next));
    }
  }
  const offer = palaceModel === undefined || chosen !== undefined ? undefined : successor(palaceModel);
  if (offer !== undefined) findings.push(offer);
  if (!isEndpoint(id)) findings.push(await filesFinding(localModel(id), context));
  // A damaged model must not be run.
  if (findings.some(({ status }) => status === 'fail')) return findings;
  return [...findings, ...(await runFindings(id, env, context))];
}

/** Without a compatible model, the palace cannot be searched by meaning. */
function incomparable(
  { id, revision, dimension }: ModelIdentity,
  { root }: DoctorContext,
): Found | undefined {
  if (isEndpoint(id)) return undefined;
  const known = LOCAL_MODELS.find((model) => model.id === id);
  if (known === undefined) {
    const next = `${updateCure(root)}; or mempalace reembed --model ${DEFAULT_MODEL_ID}`;
    return fail(`the palace contains vectors of ${id}, which this program does not know`, next);
  }
  if (known.revision === revision && known.dimension === dimension) return undefined;
  const detail = `the palace contains vectors of ${id} ${revision}, which cannot be compared with ${known.revision}`;
  return fail(detail, `mempalace reembed --model ${id}`);
}

/** Advice, not a problem: the palace works as it is. The user who chose its model is not asked. */
function successor({ id }: ModelIdentity): Found | undefined {
  const better = SUCCESSORS[id];
  if (better === undefined) return undefined;
  const detail = `the palace contains vectors of ${id}; ${better} finds the same in less processor time`;
  return { ...ok(detail), next: `mempalace reembed --model ${better} (not necessary)` };
}

async function filesFinding(model: LocalModel, { env, root }: DoctorContext): Promise<Found> {
  const folder = modelFolder(model, env);
  try {
    const files = await verifyModel(model, folder);
    return ok(`${model.id}: ${plural(files.length, 'file')} with the right sha256`, 'model files');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (model.repository !== null) return fail(error.message, error.hint ?? '', 'model files');
    const restore = isCheckout(root)
      ? `git checkout -- ${shippedFolder(model)} (in ${root})`
      : reinstallCure(root);
    return fail(error.message, restore, 'model files');
  }
}

async function runFindings(id: string, env: NodeJS.ProcessEnv, context: DoctorContext): Promise<Found[]> {
  const { palaceModel, root } = context;
  const label = 'model run';
  try {
    const dimension = palaceModel?.id === id ? palaceModel.dimension : undefined;
    const embedder = await loadEmbedder({ modelId: id, env, dimension });
    try {
      const reference = isEndpoint(id) ? undefined : await referenceOf(localModel(id), env);
      const [vector] = await embedder.embed([reference?.text ?? SENTENCE]);
      const run = vectorFinding(label, embedder.model, vector ?? new Float32Array(), reference?.embedding);
      if (run.status === 'fail' || !context.full || !context.usable) return [run];
      return [run, await comparisonFinding(embedder, context)];
    } finally {
      await embedder.close();
    }
  } catch (error) {
    return [failure(error, reinstallCure(root), label)];
  }
}

/** Whether the palace's model made the palace's vectors. A check never sends text to another machine. */
async function comparisonFinding(embedder: Embedder, { palace: folder }: DoctorContext): Promise<Found> {
  const label = 'vectors';
  const { findForeignVectors } = await import('../rebuild/vectors.js');
  const { Palace } = await import('../../store/index.js');
  const { id, reach } = embedder.model;
  const palace = Palace.read(folder);
  try {
    if (!palace.drawerVectors.hadAnotherModel) return ok(`the palace has only had the model ${id}`, label);
    if (reach === 'network') {
      const detail = `not compared with ${id}, since that would send text there`;
      return warn(detail, 'mempalace repair compares them', label);
    }
    palace.vectors.requireModel(embedder.model);
    const { compared, foreign } = await findForeignVectors({ palace, embedder });
    const vectors = plural(compared, 'vector');
    if (foreign === 0) return ok(`${vectors} compared with ${id}`, label);
    return fail(`${foreign} of ${vectors} that were compared are not of ${id}`, 'mempalace repair', label);
  } finally {
    palace.close();
  }
}

async function referenceOf(model: LocalModel, env: NodeJS.ProcessEnv) {
  try {
    const text = await readFile(join(modelFolder(model, env), 'reference.json'), 'utf8');
    return referenceSchema.parse(JSON.parse(text));
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** @param reference expected vector of the same text */
export function vectorFinding(
  label: string,
  { id, dimension }: Pick<EmbeddingModel, 'id' | 'dimension'>,
  vector: Float32Array,
  reference?: readonly number[],
): Found {
  const next = 'mempalace model verify shows more; another Node or processor may be the cause';
  if (vector.length !== dimension)
    return fail(`${id} gives ${vector.length} numbers, not ${dimension}`, next, label);
  const norm = Math.hypot(...vector);
  if (!(Math.abs(norm - 1) < 1e-3)) return fail(`${id} gives a vector of length ${norm}, not 1`, next, label);
  if (reference === undefined) return ok(`${id}: a vector of ${dimension} numbers, length 1`, label);
  const cosine =
    vector.reduce((sum, value, i) => sum + value * (reference[i] ?? 0), 0) / Math.hypot(...reference);
  if (!(cosine >= LEAST_COSINE))
    return fail(`${id} gives a wrong vector (cosine ${cosine.toFixed(4)})`, next, label);
  return ok(`${id}: the reference vector (cosine ${cosine.toFixed(4)})`, label);
}
