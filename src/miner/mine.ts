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
import { type PreparedSource, prepareSource, Stopped, toFile } from './prepare.js';
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

export interface MineResult {
  new: number;
  changed: number;
  unchanged: number;
  /** Unchanged sources whose wing, room or project changed. */
  moved: number;
  removed: number;
  /** Paths of the removed sources, for display. */
  removals: string[];
  drawersAdded: number;
  drawersRemoved: number;
  drawersTotal: number;
  /** Texts embedded by this run. */
  embedded: number;
  /** Redactions in the filed sources, by kind. */
  redacted: Record<string, number>;
  /** Sources that were unreadable, held back or skipped. */
  problems: Skipped[];
  /** New and changed sources left when the time was up. */
  left: number;
}

export function nothingMined(): MineResult {
  return {
    new: 0,
    changed: 0,
    unchanged: 0,
    moved: 0,
    removed: 0,
    removals: [],
    drawersAdded: 0,
    drawersRemoved: 0,
    drawersTotal: 0,
    embedded: 0,
    redacted: {},
    problems: [],
    left: 0,
  };
}

/** Maximum number of sources per transaction. */
const SOURCES_TOGETHER = 64;
/** Maximum text of prepared sources that wait for vectors, in UTF-16 units. */
const WAITING_CHARS = 8 * 1024 * 1024;

/**
 * Files batches into the palace: plan, read and chunk, embed, file, remove. Reading continues while the worker embeds; a
 * source is filed as soon as all its vectors are ready. After an abort, filed sources stay and the next run continues.
 *
 * @throws UserError `interrupted` when the signal aborts, or what the embedder and the palace throw
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
  const failed = new Set<string>();
  await fileAll(options, plans, result, failed);
  const limited = options.limit !== undefined || result.left > 0;
  if (!limited) removeGone(options, batches, result, failed);
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

/** @param failed receives the keys of the sources that could not be filed */
async function fileAll(
  options: MineOptions,
  plans: readonly Plan[],
  result: MineResult,
  failed: Set<string>,
): Promise<void> {
  const { palace, signal } = options;
  const planned = inFilingOrder(plans).slice(0, options.limit);
  const queue = new EmbeddingQueue({
    palace,
    embedder: options.embedder,
    refresh: options.force === true,
    hurry: options.timeIsUp !== undefined,
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
    options.onProgress?.({
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
      let ready = 0;
      while (ready < SOURCES_TOGETHER && (waiting[ready]?.wave ?? Number.POSITIVE_INFINITY) <= queue.finished)
        ready += 1;
      if (ready === 0 || ready < least) return;
      fileTogether(options, waiting.splice(0, ready), result, failed);
      done += ready;
      report();
    }
  };
  const timeIsUp = () => options.timeIsUp?.() === true;
  // A text to embed counts as a step, even if the source is too long to be finished.
  const stop = () => timeIsUp() && queue.position > 0;
  report();
  for (const source of planned) {
    interruptIfAborted(signal);
    if (timeIsUp()) {
      await queue.drain();
      fileReady(1);
      if (queue.embedded > 0 || result.new + result.changed > 0) break;
    }
    reading = source.source.bytes;
    try {
      waiting.push(await prepareSource(source, queue, { ...options, stop }));
    } catch (error) {
      if (error instanceof Stopped) break;
      interruptIfAborted(signal);
      if (!isUnreadable(error)) throw error;
      failed.add(source.source.sourceKey);
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
  interruptIfAborted(signal);
  fileReady(1);
  result.left = planned.length - done;
  result.embedded += queue.embedded;
}

/** Whether the source itself failed, not the embedder or the palace. */
function isUnreadable(error: unknown): boolean {
  return isSystemError(error) || (error instanceof UserError && error.code === 'unreadable');
}

function fileTogether(
  options: MineOptions,
  sources: readonly PreparedSource[],
  result: MineResult,
  failed: Set<string>,
): void {
  const { palace, run, addedBy } = options;
  const refreshVectors = options.force === true;
  palace.transaction(() => {
    for (const prepared of sources) {
      const { source, filed } = prepared;
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
      const change = palace.file(toFile(prepared, { addedBy, refreshVectors }), run);
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
  options: MineOptions,
  batches: readonly Batch[],
  result: MineResult,
  failed: ReadonlySet<string>,
): void {
  const { palace } = options;
  const listed = new Set(batches.flatMap(({ sources }) => sources.map(({ sourceKey }) => sourceKey)));
  const run = { listed, failed };
  for (const batch of batches) {
    interruptIfAborted(options.signal);
    const removals = planRemovals(batch, palace, options.allowRemovals === true, run);
    if (removals.heldBack !== undefined) result.problems.push(removals.heldBack);
    const contained = planContained(batch, palace, run);
    if (contained.heldBack !== undefined) result.problems.push(contained.heldBack);
    const gone = [...removals.sources, ...contained.sources];
    result.drawersRemoved += palace.removeAll(gone);
    result.removed += gone.length;
    result.removals.push(...gone.map(({ sourceFile }) => sourceFile));
  }
}

function interruptIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  if (signal.reason instanceof UserError) throw signal.reason;
  throw new UserError('interrupted', `interrupted: ${messageOf(signal.reason)}`, {
    hint: 'filed sources stay; run the command again to continue',
  });
}
