import { existsSync } from 'node:fs';
import type { Batch, Skipped } from '../core/contract.js';
import { isSystemError, messageOf, UserError } from '../core/errors.js';
import type { TimeIsUp } from '../core/time-up.js';
import type { Embedder } from '../embedding/index.js';
import { addCounts, type Sanitiser } from '../sanitiser/index.js';
import type { Palace, RunStamp } from '../store/index.js';
import { EmbeddingQueue } from './embedding-queue.js';
import { reasonToHoldBack } from './hold-back.js';
import { inFilingOrder, type Plan, planBatch, withoutTwins } from './plan.js';
import { type PreparedSource, prepareSource, Stopped } from './prepare.js';
import { type MineProgress, Workload } from './progress.js';
import { planContained, planRemovals } from './removals.js';

export interface MineOptions {
  palace: Palace;
  batches: Batch[];
  run: RunStamp;
  /** The command that files; stored with each drawer. */
  addedBy: string;
  /** Starts the embedder; called when the first text needs it. */
  embedder: () => Promise<Embedder>;
  /** For sources that are not marked as sanitised. Without it, every source counts as clean. */
  sanitiser?: Sanitiser | undefined;
  force?: boolean;
  allowRemovals?: boolean;
  /** Files at most this many new or changed sources, and removes nothing. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Once true, the run files only started sources, and removes nothing. Every run makes at least one step, so that
   * several too short runs finish the work together.
   */
  timeIsUp?: TimeIsUp | undefined;
  onProgress?: ((progress: MineProgress) => void) | undefined;
}

export type MineResult = ReturnType<typeof nothingMined>;

export function nothingMined() {
  return {
    new: 0,
    changed: 0,
    unchanged: 0,
    /** Unchanged sources whose wing, room or project changed. */
    moved: 0,
    removed: 0,
    /** Paths of the removed sources, for display. */
    removals: [] as string[],
    drawersAdded: 0,
    drawersRemoved: 0,
    drawersTotal: 0,
    /** Texts embedded by this run. */
    embedded: 0,
    /** Redactions in the filed sources, by kind. */
    redacted: {} as Record<string, number>,
    /** Sources that were unreadable, held back or skipped. */
    problems: [] as Skipped[],
    /** New and changed sources left when the time was up. */
    left: 0,
  };
}

/** A run with its result so far. */
interface Mining extends MineOptions {
  result: MineResult;
  /** Keys of the sources that could not be filed. */
  failed: Set<string>;
}

/** Maximum number of sources per transaction. */
const SOURCES_TOGETHER = 64;
/** Maximum text of prepared sources that wait for vectors, in UTF-16 units. */
const WAITING_CHARS = 8 * 1024 * 1024;

/**
 * Files batches into the palace: plan, read and chunk, embed, file, remove. Reading continues while the worker embeds; a
 * source is filed as soon as all its vectors are ready. After an abort, filed sources stay and the next run continues.
 *
 * @throws the signal's reason, or what the embedder and the palace throw
 */
export async function mine(options: MineOptions): Promise<MineResult> {
  const { palace } = options;
  const { batches, twins } = withoutTwins(options.batches);
  const result: MineResult = { ...nothingMined(), problems: twins };
  // Completes a forget command that was killed.
  if (palace.forgetting.unerased().length > 0) palace.eraseForgotten();
  const plans = batches.map((batch) => planBatch(batch, palace, options.force === true));
  for (const batch of batches) register(palace, batch);
  for (const plan of plans) {
    palace.transaction(() => {
      for (const { filed, record } of plan.toRelocate) palace.relocate(filed, record);
    });
    result.problems.push(...plan.forgotten);
    result.unchanged += plan.unchanged;
    result.moved += plan.moved;
  }
  const mining = { ...options, result, failed: new Set<string>() };
  await fileAll(mining, plans);
  const limited = options.limit !== undefined || result.left > 0;
  if (!limited) removeGone(mining, batches);
  palace.transaction(() => {
    for (const { project, complete } of batches) {
      for (const id of [...(complete?.absorbs ?? []), ...(project ? [project.id] : [])]) {
        palace.projects.removeIfEmpty(id);
      }
    }
    if (!limited) palace.vectors.dropUnfiled();
  });
  const touched = result.new + result.changed + result.removed > 0;
  const { runs } = palace;
  const left = runs.endedEarlyBefore(options.run.id) || runs.shortWriteRemovedBefore(options.run.id);
  if (touched || left) palace.tidy();
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

async function fileAll(mining: Mining, plans: readonly Plan[]): Promise<void> {
  const { palace, embedder, signal, result } = mining;
  const planned = inFilingOrder(plans).slice(0, mining.limit);
  const queue = new EmbeddingQueue({
    palace,
    embedder,
    refresh: mining.force === true,
    hurry: mining.timeIsUp !== undefined,
    signal,
    onAdvance: () => report(),
  });
  const waiting: PreparedSource[] = [];
  let done = 0;
  let reading = 0;
  const bytesTotal = planned.reduce((sum, { source }) => sum + source.bytes, 0);
  const work = new Workload(bytesTotal);
  const report = () => {
    const { chars, texts } = queue.advance;
    mining.onProgress?.({
      sources: done,
      sourcesTotal: planned.length,
      bytes: work.bytesDone(reading, queue.asked, chars),
      bytesTotal,
      embedded: texts,
      drawers: result.drawersAdded,
    });
  };
  const fileReady = (least: number) => {
    for (;;) {
      const ready = waiting.slice(0, SOURCES_TOGETHER).filter(({ wave }) => wave <= queue.finished);
      if (ready.length === 0 || ready.length < least) return;
      waiting.splice(0, ready.length);
      fileTogether(mining, ready);
      done += ready.length;
      report();
    }
  };
  const timeIsUp = () => mining.timeIsUp?.() === true;
  // A text to embed counts as a step, even if the source is too long to be finished.
  const stop = () => timeIsUp() && queue.position > 0;
  report();
  for (const source of planned) {
    signal?.throwIfAborted();
    if (timeIsUp()) {
      await queue.drain();
      fileReady(1);
      if (queue.embedded > 0 || result.new + result.changed > 0) break;
    }
    reading = source.source.bytes;
    try {
      waiting.push(await prepareSource(source, queue, { ...mining, stop }));
    } catch (error) {
      if (error instanceof Stopped) break;
      signal?.throwIfAborted();
      if (!isUnreadable(error)) throw error;
      mining.failed.add(source.source.sourceKey);
      result.problems.push({
        origin: source.source.origin,
        reason: 'unreadable',
        detail: messageOf(error),
        problem: true,
      });
      done += 1;
    }
    work.finish(reading, queue.asked);
    reading = 0;
    // Sources without new texts are ready at once and filed in groups; the others wait for their wave.
    fileReady(queue.position === queue.finished ? SOURCES_TOGETHER : 1);
    if (waiting.reduce((sum, { chars }) => sum + chars, 0) > WAITING_CHARS) {
      await queue.drain();
      fileReady(1);
    }
  }
  await queue.drain();
  signal?.throwIfAborted();
  fileReady(1);
  result.left = planned.length - done;
  result.embedded += queue.embedded;
}

/** Whether the source itself failed, not the embedder or the palace. */
function isUnreadable(error: unknown): boolean {
  return isSystemError(error) || (error instanceof UserError && error.code === 'unreadable');
}

function fileTogether(
  { palace, run, addedBy, force: refreshVectors = false, result, failed }: Mining,
  sources: readonly PreparedSource[],
): void {
  palace.transaction(() => {
    for (const prepared of sources) {
      const { source, record, filed } = prepared;
      if (isNoConversation(prepared)) {
        // Feeders do not write such a file.
        result.problems.push({ origin: source.origin, reason: 'not a transcript', problem: true });
        failed.add(source.sourceKey);
        continue;
      }
      for (const detail of prepared.problems) {
        result.problems.push({ origin: source.origin, reason: 'unreadable line', detail, problem: true });
      }
      const reason = reasonToHoldBack(prepared, palace, failed);
      if (reason !== undefined) {
        failed.add(source.sourceKey);
        result.problems.push({ origin: source.origin, reason: 'held back', detail: reason, problem: true });
        continue;
      }
      const change = palace.file({ ...prepared, source: record, addedBy, refreshVectors }, run);
      if (filed === undefined) result.new += 1;
      else result.changed += 1;
      result.drawersAdded += change.added;
      result.drawersRemoved += change.removed;
      addCounts(result.redacted, source.redacted ?? {});
      addCounts(result.redacted, prepared.redacted);
    }
  });
}

/** Not filed, so that every run reports it; for filed sources, `reasonToHoldBack` decides. */
function isNoConversation({ source, filed, drafts }: PreparedSource): boolean {
  return source.kind === 'conversation' && filed === undefined && drafts.length === 0;
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
