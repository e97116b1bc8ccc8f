import type { Batch, Skipped } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { type TimeIsUp, TimeUp } from '../../core/time-up.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import { openStaging, type Staging, type StagingOptions } from './staging.js';

export interface WingsOptions
  extends Pick<StagingOptions, 'cache' | 'command' | 'waitMs' | 'signal' | 'manifests'> {
  /** The folder below it that contains one staging folder per wing. */
  root: string;
  /** Source keys that must not be filed: they are removed. What others copied from them is not filed either. */
  forgotten?: ReadonlySet<string> | undefined;
}

/** Options of a feeder of conversations. */
export interface ConversationOptions extends Omit<WingsOptions, 'root'> {
  /** Sessions with fewer messages are skipped, with their sub-agents. */
  minMessages: number;
  /** Only what was changed at or after this time, epoch milliseconds. */
  since?: number | undefined;
  /** Overrides the default, and the wing that a source is already filed in. */
  wing?: string | undefined;
  sanitiser: Sanitiser;
  /** Also stages what is staged and unchanged. */
  force: boolean;
  /** Called after each written transcript; if true, no other one is started. */
  timeIsUp?: TimeIsUp | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export const DEFAULT_WING = 'wing_conversations';
export const FORGOTTEN = 'forgotten';

/** The staging folders of one run, by wing, each with its batch. */
export class StagedWings {
  readonly #open = new Map<string, { staging: Staging; batch: Batch }>();

  constructor(private readonly options: WingsOptions) {}

  /**
   * Opens the wings, stages, and saves the staged sources even after an error. Returns a batch per wing.
   *
   * @param skipped for the first wing
   * @throws UserError `locked` if another run has locked a wing, `interrupted` on the signal
   */
  async stage(wings: ReadonlySet<string>, skipped: Skipped[], work: () => Promise<void>): Promise<Batch[]> {
    try {
      // Sorted, so that two runs never wait for each other's wings.
      for (const wing of [...wings].sort()) await this.open(wing, skipped.splice(0));
      await work();
      const { forgotten } = this.options;
      for (const { staging } of this.#open.values())
        staging.sweep(({ sourceKey }) => forgotten?.has(sourceKey) !== true);
    } catch (error) {
      if (!(error instanceof TimeUp)) this.throwIfInterrupted();
      throw error;
    } finally {
      await this.#close();
    }
    return this.batches;
  }

  async open(wing: string, skipped: Skipped[] = []): Promise<void> {
    if (this.isOpen(wing)) return;
    this.throwIfInterrupted();
    const { root } = this.options;
    const staging = await openStaging({ ...this.options, prefix: `${root}/${wing}` });
    this.#open.set(wing, { staging, batch: { sources: [], skipped } });
  }

  throwIfInterrupted(): void {
    if (this.options.signal?.aborted !== true) return;
    throw new UserError('interrupted', 'interrupted; the staged sources are kept');
  }

  /** These require that the wing is open. */
  staging(wing: string): Staging {
    return this.#opened(wing).staging;
  }

  batch(wing: string): Batch {
    return this.#opened(wing).batch;
  }

  /** The batch of this wing, or of the first one if it is not open. */
  anyBatch(wing: string): Batch | undefined {
    return this.#open.get(wing)?.batch ?? this.batches[0];
  }

  get batches(): Batch[] {
    return [...this.#open.values()].map(({ batch }) => batch);
  }

  /** What is staged so far, to be filed without the rest. */
  staged(): Batch[] {
    return this.batches.map(({ sources, recleaning }) => ({ sources, recleaning, skipped: [] }));
  }

  get advances(): number {
    return [...this.#open.values()].reduce((sum, { staging }) => sum + staging.advances, 0);
  }

  isOpen(wing: string): boolean {
    return this.#open.has(wing);
  }

  /** Records that other sources contain all text of a filed source. */
  contain(wing: string, contained: NonNullable<Batch['contained']>[number]): void {
    this.drop(contained.sourceKey);
    const batch = this.batch(wing);
    batch.contained ??= [];
    batch.contained.push(contained);
  }

  /** Gives the miner what the session has revealed, for filed text that the source has lost. The wing must be open. */
  reveal(wing: string, sourceKey: string, scope: Sanitiser): void {
    const batch = this.batch(wing);
    batch.recleaning ??= new Map();
    batch.recleaning.set(sourceKey, async (text, place) => (await scope.clean(text, place)).text);
  }

  /** Removes the staged file of a source from all wings except `except`. */
  drop(sourceKey: string, except?: string): void {
    for (const [wing, { staging }] of this.#open) if (wing !== except) staging.drop(sourceKey);
  }

  async #close(): Promise<void> {
    for (const { staging, batch } of this.#open.values()) {
      try {
        const { sources: _, ...rest } = batch;
        await staging.save(rest);
      } finally {
        staging.close();
      }
    }
  }

  #opened(wing: string): { staging: Staging; batch: Batch } {
    const found = this.#open.get(wing);
    if (found === undefined) throw new Error(`the staging folder of ${wing} is not open`);
    return found;
  }
}
