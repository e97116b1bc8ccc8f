import { type Embedder, textKey } from '../embedding/index.js';
import { ModelChanged, type Palace, type PendingText } from '../store/index.js';

/** Texts per wave: enough to sort by length, few enough that a killed run loses only seconds. */
const WAVE_TEXTS = 512;
const WAVE_CHARS = 400_000;
/** Reduces both limits for a run with a time limit: a wave is always embedded completely. */
const HASTE = 1 / 8;
/** One in the worker, one waiting for it; the others wait here. */
const WAVES_IN_FLIGHT = 2;
/** Attempts per wave while other programs change the palace's model. */
const ATTEMPTS = 5;

/** Texts that are embedded together. */
class Wave {
  readonly texts: PendingText[] = [];
  chars = 0;
  /** The part of it that is embedded. */
  share = 0;
}

interface QueueOptions {
  palace: Palace;
  /** For the palace's model; called for each wave, since the model may change. */
  embedder: () => Promise<Embedder>;
  /** Small waves, for a run with a time limit. */
  hurry?: boolean;
  /** Drops unfinished waves. */
  signal?: AbortSignal | undefined;
  onAdvance?: () => void;
}

/**
 * Collects texts into waves for the embedder. The vectors of a finished wave are stored in the palace, so that no text is
 * embedded twice, even after a kill.
 */
export class EmbeddingQueue {
  /** Hashes of `want`, so that a text is not embedded twice before its vector is stored. */
  readonly #wanted = new Set<string>();
  #gathering = new Wave();
  readonly #unfinished = new Set<Wave>();
  /** The last wave and the one before; settled when it and all before it are finished or have failed. */
  #last = Promise.resolve();
  #beforeLast = Promise.resolve();
  readonly #waves: Promise<void>[] = [];
  #failure: { error: unknown } | undefined;
  #charsDone = 0;
  embedded = 0;
  /** Number of texts that were added. */
  added = 0;
  readonly #waveTexts: number;
  readonly #waveChars: number;

  constructor(private readonly options: QueueOptions) {
    const share = options.hurry === true ? HASTE : 1;
    this.#waveTexts = WAVE_TEXTS * share;
    this.#waveChars = WAVE_CHARS * share;
  }

  /** Adds a text that may be new to the palace, unless it has a vector; returns its key. */
  want(text: string): Buffer {
    const hash = textKey(text);
    const key = hash.toString('latin1');
    if (this.#wanted.has(key) || this.options.palace.vectors.has(hash)) return hash;
    this.#wanted.add(key);
    this.add({ hash, text });
    return hash;
  }

  /** Adds a text that has no vector. */
  add({ hash, text }: PendingText): void {
    const wave = this.#gathering;
    wave.texts.push({ hash, text });
    wave.chars += text.length;
    this.added += 1;
    if (wave.texts.length >= this.#waveTexts || wave.chars >= this.#waveChars) this.#flush();
  }

  /** Texts of a full wave. */
  get waveTexts(): number {
    return this.#waveTexts;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
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

  /** Waits until all added texts are embedded. @throws what the embedder threw */
  async drain(): Promise<void> {
    this.#flush();
    await this.#wait(0);
  }

  #flush(): void {
    const wave = this.#gathering;
    if (wave.texts.length === 0) return;
    this.#gathering = new Wave();
    this.#unfinished.add(wave);
    const [begin, previous] = [this.#beforeLast, this.#last];
    this.#beforeLast = previous;
    this.#last = begin
      .then(() => this.#embed(wave, previous))
      .catch((error: unknown) => {
        this.#failure ??= { error };
      });
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
    for (let attempt = 1; this.#failure === undefined; attempt += 1) {
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
        this.#unfinished.delete(wave);
        this.#charsDone += chars;
        this.embedded += texts.length;
        onAdvance?.();
        return;
      } catch (error) {
        if (!(error instanceof ModelChanged) || attempt === ATTEMPTS) throw error;
      }
    }
  }
}
