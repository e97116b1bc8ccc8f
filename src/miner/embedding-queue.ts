import { type Embedder, textKey } from '../embedding/index.js';
import { ModelChanged, type Palace } from '../store/index.js';

/** Texts per wave: enough to sort by length, few enough that a killed run loses only seconds. */
const WAVE_TEXTS = 512;
const WAVE_CHARS = 400_000;
/** Reduces both limits for a run with a time limit: a wave is always embedded completely. */
const HASTE = 1 / 8;
/** One in the worker, one waiting for it. */
const WAVES_IN_FLIGHT = 2;
/** Attempts per wave while other programs change the palace's model. */
const ATTEMPTS = 5;

/** Texts that are embedded together. */
class Wave {
  readonly texts: { hash: Buffer; text: string }[] = [];
  chars = 0;
  /** The part of it that is embedded. */
  share = 0;
}

interface QueueOptions {
  palace: Palace;
  /** For the palace's model; called for each wave, since the model may change. */
  embedder: () => Promise<Embedder>;
  /** Embed texts again although their vectors are stored. */
  refresh?: boolean;
  /** Small waves, for a run with a time limit. */
  hurry?: boolean;
  /** Drops unfinished waves. */
  signal?: AbortSignal | undefined;
  onAdvance?: () => void;
}

/**
 * Collects the texts without a vector, from all sources, into waves for the embedder. The vectors of a finished wave are
 * stored in the palace's side table, so that no text is embedded twice, even after a kill.
 */
export class EmbeddingQueue {
  /** Hashes requested in this run, so that a text is not embedded twice before its vector is stored. */
  readonly #asked = new Set<string>();
  #gathering = new Wave();
  readonly #unfinished = new Set<Wave>();
  #flushed = 0;
  /** Settled when all waves so far are finished or have failed. */
  #last = Promise.resolve();
  readonly #waves: Promise<void>[] = [];
  #failure: { error: unknown } | undefined;
  #charsDone = 0;
  embedded = 0;
  /** Characters of all requested texts. */
  asked = 0;
  /** All waves up to this number are embedded and stored. */
  finished = 0;

  constructor(private readonly options: QueueOptions) {}

  /** Requests the vector of a text; returns its key. */
  want(text: string): Buffer {
    const { palace, refresh = false, hurry = false } = this.options;
    const hash = textKey(text);
    const key = hash.toString('latin1');
    if (this.#asked.has(key) || (!refresh && palace.vectors.has(hash))) return hash;
    this.#asked.add(key);
    const wave = this.#gathering;
    wave.texts.push({ hash, text });
    wave.chars += text.length;
    this.asked += text.length;
    const share = hurry ? HASTE : 1;
    if (wave.texts.length >= WAVE_TEXTS * share || wave.chars >= WAVE_CHARS * share) this.#flush();
    return hash;
  }

  /** The wave after which all texts requested so far have their vectors. */
  get position(): number {
    return this.#flushed + (this.#gathering.texts.length > 0 ? 1 : 0);
  }

  /** Embedded characters and texts, including those of unfinished waves. */
  get advance(): { chars: number; texts: number } {
    const sum = { chars: this.#charsDone, texts: this.embedded };
    for (const { texts, chars, share } of this.#unfinished) {
      sum.chars += share * chars;
      sum.texts += Math.floor(share * texts.length);
    }
    return sum;
  }

  /** Waits until the embedder can take another wave. @throws what the embedder threw */
  async room(): Promise<void> {
    await this.#wait(WAVES_IN_FLIGHT - 1);
  }

  /** Waits until all requested texts are embedded. @throws what the embedder threw */
  async drain(): Promise<void> {
    this.#flush();
    await this.#wait(0);
  }

  #flush(): void {
    const wave = this.#gathering;
    if (wave.texts.length === 0) return;
    this.#gathering = new Wave();
    this.#unfinished.add(wave);
    this.#flushed += 1;
    const number = this.#flushed;
    this.#last = this.#embed(wave, this.#last).then(
      () => {
        this.finished = number;
      },
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    this.#waves.push(this.#last);
  }

  async #wait(most: number): Promise<void> {
    while (this.#failure === undefined && this.#waves.length > most) await this.#waves.shift();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Embeds again when the palace changed its model meanwhile. */
  async #embed(wave: Wave, previous: Promise<void>): Promise<void> {
    const { palace, signal, onAdvance } = this.options;
    const { texts, chars } = wave;
    const onShare = (share: number): void => {
      wave.share = share;
      onAdvance?.();
    };
    for (let attempt = 1; ; attempt += 1) {
      const embedder = await this.options.embedder();
      try {
        palace.vectors.requireModel(embedder.model);
        const words = texts.map(({ text }) => text);
        const vectors = await embedder.embed(words, 'passage', signal, onShare);
        await previous;
        const embedded = texts.flatMap(({ hash }, index) => {
          const embedding = vectors[index];
          return embedding === undefined ? [] : [{ hash, embedding }];
        });
        palace.vectors.keep(embedded, embedder.model);
        break;
      } catch (error) {
        if (!(error instanceof ModelChanged) || attempt === ATTEMPTS) throw error;
      }
    }
    this.#unfinished.delete(wave);
    this.#charsDone += chars;
    this.embedded += texts.length;
    onAdvance?.();
  }
}
