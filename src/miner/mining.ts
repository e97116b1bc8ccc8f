import type { Batch, Skipped } from '../core/contract.js';
import type { TimeIsUp } from '../core/time-up.js';
import type { Embedder } from '../embedding/index.js';
import type { Sanitiser } from '../sanitiser/index.js';
import type { Palace, RunStamp } from '../store/index.js';
import type { AskedCheckpoint } from './asked-checkpoint.js';
import type { EmbeddingQueue } from './embedding-queue.js';
import type { MineProgress, ProgressReport } from './progress.js';

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
  /** Checkpoints to make, by the key of the session: it is read even if it is unchanged. */
  checkpoints?: ReadonlyMap<string, AskedCheckpoint> | undefined;
  allowRemovals?: boolean;
  /** Files at most this many new or changed sources, and removes nothing. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Once true, the run reads no further source, embeds only what was begun, and removes nothing. Every run files at least
   * one source and embeds at least one wave, so that several too short runs finish the work together.
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
    /** Sources that lost filed messages, with the number of these, which stay in the palace. */
    lost: [] as { origin: string; messages: number }[],
    drawersAdded: 0,
    drawersRemoved: 0,
    drawersTotal: 0,
    embedded: 0,
    /** Texts of the palace that were not embedded because the time was up. */
    pending: 0,
    /** Redactions in the filed sources, by kind. */
    redacted: {} as Record<string, number>,
    /** Sources that were unreadable, held back or skipped. */
    problems: [] as Skipped[],
    /** New and changed sources left when the time was up. */
    left: 0,
  };
}

export interface Mining extends MineOptions {
  result: MineResult;
  failed: Set<string>;
  queue: EmbeddingQueue;
  report: ProgressReport;
}
