import { existsSync } from 'node:fs';
import type { Batch, StagedSource } from '../core/contract.js';
import type { Palace } from '../store/index.js';
import { deriveActivity } from './derive-activity.js';
import { EmbeddingQueue } from './embedding-queue.js';
import { fileSources } from './file-sources.js';
import { type MineOptions, type MineResult, type Mining, nothingMined } from './mining.js';
import { inFilingOrder, planBatch, withoutTwins } from './plan.js';
import { ProgressReport } from './progress.js';
import { relocate } from './relocate.js';
import { planContained, planRemovals } from './removals.js';
import { renewWords } from './renew-words.js';

/**
 * Files batches into the palace: plan, read and chunk, file, remove, embed. A source is found by words as soon as it is
 * read, and by meaning when all its vectors exist. After an abort or a failure of the embedder, filed sources stay, and the
 * next run makes the vectors that are missing.
 *
 * @throws the signal's reason, or what the embedder and the palace throw
 */
export async function mine(options: MineOptions): Promise<MineResult> {
  const { palace } = options;
  const { batches, twins } = withoutTwins(options.batches);
  const result: MineResult = { ...nothingMined(), problems: twins };
  // Completes a forget command that was killed.
  if (palace.forgetting.unerased().length > 0) palace.eraseForgotten();
  const { force = false, checkpoints } = options;
  const isForced = ({ sourceKey }: StagedSource) => force || checkpoints?.has(sourceKey) === true;
  const plans = batches.map((batch) => planBatch(batch, palace, isForced));
  for (const batch of batches) register(palace, batch);
  for (const plan of plans) {
    palace.transaction(() => {
      for (const each of plan.toRelocate) relocate(palace, each);
    });
    result.problems.push(...plan.forgotten);
    result.unchanged += plan.unchanged;
    result.moved += plan.moved;
  }
  const { embedder, signal, timeIsUp } = options;
  const planned = inFilingOrder(plans).slice(0, options.limit);
  const onAdvance = () => report.say();
  const queue = new EmbeddingQueue({ palace, embedder, hurry: timeIsUp !== undefined, signal, onAdvance });
  const bytes = planned.reduce((sum, { source }) => sum + source.bytes, 0);
  const total = { sources: planned.length, bytes, chars: palace.vectors.pending.chars() };
  const report = new ProgressReport(total, queue, options.onProgress);
  const mining: Mining = { ...options, result, failed: new Set<string>(), queue, report };
  result.left = await fileSources(mining, planned);
  const limited = options.limit !== undefined || result.left > 0;
  if (!limited) removeGone(mining, batches);
  palace.transaction(() => {
    for (const { project, complete } of batches) {
      for (const id of [...(complete?.absorbs ?? []), ...(project ? [project.id] : [])]) {
        palace.projects.removeIfEmpty(id);
      }
    }
  });
  await deriveActivity(mining);
  await renewWords({ palace, signal, timeIsUp });
  const isComplete = await embedPending(mining);
  // Afterwards: a text may have been forgotten while it was embedded.
  if (!limited) palace.vectors.pending.dropUnfiled();
  result.embedded = queue.embedded;
  const touched = result.new + result.changed + result.removed + result.embedded > 0;
  const { runs } = palace;
  const left = runs.endedEarlyBefore(options.run.id) || runs.shortWriteRemovedBefore(options.run.id);
  if (touched || left) palace.tidy();
  result.pending = isComplete ? 0 : palace.vectors.pending.count();
  result.drawersTotal = palace.drawerCount();
  return result;
}

/** Stores the project's row first, since its sources refer to it. */
function register(palace: Palace, batch: Batch): void {
  const { project, sources } = batch;
  if (project === undefined) return;
  const known = palace.projects.all().find((other) => other.id === project.id);
  if (batch.guarded === true && known !== undefined && existsSync(known.root)) return;
  const wing = sources[0]?.wing ?? known?.wing;
  if (wing !== undefined) palace.projects.put(project, wing);
}

/** Embeds the texts that wait, those of earlier runs too. Returns false if it stopped because the time was up. */
async function embedPending({ palace, queue, signal, timeIsUp }: Mining): Promise<boolean> {
  await queue.drain();
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const texts = palace.vectors.pending.next(after, queue.waveTexts);
    const last = texts.at(-1);
    const isUp = queue.added > 0 && timeIsUp?.() === true;
    if (last === undefined || isUp) {
      await queue.drain();
      palace.vectors.publishAll();
      return last === undefined;
    }
    for (const text of texts) queue.add(text);
    after = last.row;
    await queue.room();
  }
}

function removeGone(
  { palace, signal, allowRemovals = false, result, failed }: Mining,
  batches: readonly Batch[],
): void {
  const listed = new Set(batches.flatMap(({ sources }) => sources.map(({ sourceKey }) => sourceKey)));
  const run = { listed, failed };
  for (const batch of batches) {
    signal?.throwIfAborted();
    const planned = [planRemovals(batch, palace, allowRemovals, run), planContained(batch, palace, run)];
    result.problems.push(...planned.flatMap(({ heldBack }) => heldBack ?? []));
    const gone = planned.flatMap(({ sources }) => sources);
    result.drawersRemoved += palace.removeAll(gone);
    result.removed += gone.length;
    result.removals.push(...gone.map(({ sourceFile }) => sourceFile));
  }
}
