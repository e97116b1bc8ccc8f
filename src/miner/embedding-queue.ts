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

interface Gathered {
  number: number;
  texts: { hash: Buffer; text: string }[];
  chars: number;
}

interface Wave {
  number: number;
  done: Promise<void>;
}

/**
 * Collects the texts without a vector, from all sources, into waves for the embedder. The vectors of a finished wave are
 * stored in the palace's side table, so that no text is embedded twice, even after a kill.
 */
export class EmbeddingQueue {
  readonly #palace: Palace;
  readonly #embedder: () => Promise<Embedder>;
  readonly #refresh: boolean;
  readonly #share: number;
  /** Hashes requested in this run, so that a text is not embedded twice before its vector is stored. */
  readonly #asked = new Set<string>();
  #gathering = new Map<string, { hash: Buffer; text: string }>();
  #chars = 0;
  #flushed = 0;
  #finished = 0;
  #waves: Wave[] = [];
  #failure: { error: unknown } | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onAdvance: () => void;
  /** Embedded characters and texts of each unfinished wave. */
  readonly #underWay = new Map<number, { chars: number; texts: number }>();
  #charsDone = 0;
  embedded = 0;
  /** Characters of all requested texts. */
  asked = 0;

  /**
   * @param embedder for the palace's model; called for each wave, since the model may change
   * @param refresh embed texts again although their vectors are stored
   * @param hurry small waves, for a run with a time limit
   * @param signal drops unfinished waves
   */
  constructor(options: {
    palace: Palace;
    embedder: () => Promise<Embedder>;
    refresh: boolean;
    hurry?: boolean;
    signal?: AbortSignal | undefined;
    onAdvance?: (() => void) | undefined;
  }) {
    this.#palace = options.palace;
    this.#embedder = options.embedder;
    this.#refresh = options.refresh;
    this.#signal = options.signal;
    this.#onAdvance = options.onAdvance ?? (() => {});
    this.#share = options.hurry === true ? HASTE : 1;
  }

  /** Requests the vector of a text; returns its key. */
  want(text: string): Buffer {
    const hash = textKey(text);
    const key = hash.toString('latin1');
    if (this.#asked.has(key)) return hash;
    if (!this.#refresh && this.#palace.vectors.has(hash)) return hash;
    this.#asked.add(key);
    this.#gathering.set(key, { hash, text });
    this.#chars += text.length;
    this.asked += text.length;
    const [texts, chars] = [WAVE_TEXTS * this.#share, WAVE_CHARS * this.#share];
    if (this.#gathering.size >= texts || this.#chars >= chars) this.flush();
    return hash;
  }

  /** The wave after which all texts requested so far have their vectors. */
  get position(): number {
    return this.#flushed + (this.#gathering.size > 0 ? 1 : 0);
  }

  /** All waves up to this number are embedded and stored. */
  get finished(): number {
    return this.#finished;
  }

  /** Embedded characters and texts, including those of unfinished waves. */
  get advance(): { chars: number; texts: number } {
    const sum = { chars: this.#charsDone, texts: this.embedded };
    for (const { chars, texts } of this.#underWay.values()) {
      sum.chars += chars;
      sum.texts += Math.floor(texts);
    }
    return sum;
  }

  flush(): void {
    if (this.#gathering.size === 0) return;
    const wave = [...this.#gathering.values()];
    const number = this.#flushed + 1;
    const chars = this.#chars;
    this.#gathering = new Map();
    this.#chars = 0;
    this.#flushed = number;
    const previous = this.#waves.at(-1)?.done ?? Promise.resolve();
    const done = this.#embed({ number, texts: wave, chars }, previous)
      .then(() => {
        this.#finished = number;
      })
      .catch((error: unknown) => {
        this.#failure ??= { error };
      });
    this.#waves.push({ number, done });
  }

  /** Waits until the embedder can take another wave. @throws what the embedder threw */
  async room(): Promise<void> {
    await this.#waitUntil(() => this.#waves.length < WAVES_IN_FLIGHT);
  }

  /** Waits until all requested texts are embedded. @throws what the embedder threw */
  async drain(): Promise<void> {
    this.flush();
    await this.#waitUntil(() => this.#waves.length === 0);
  }

  async #waitUntil(ready: () => boolean): Promise<void> {
    for (;;) {
      this.#waves = this.#waves.filter((wave) => wave.number > this.#finished);
      if (this.#failure !== undefined) throw this.#failure.error;
      const oldest = this.#waves[0];
      if (oldest === undefined || ready()) return;
      await oldest.done;
    }
  }

  /** Embeds again when the palace changed its model meanwhile. */
  async #embed(wave: Gathered, previous: Promise<void>): Promise<void> {
    const { number, texts, chars } = wave;
    for (let attempt = 1; ; attempt += 1) {
      const embedder = await this.#embedder();
      try {
        this.#palace.vectors.requireModel(embedder.model);
        const vectors = await embedder.embed(
          texts.map(({ text }) => text),
          'passage',
          this.#signal,
          (share) => {
            this.#underWay.set(number, { chars: share * chars, texts: share * texts.length });
            this.#onAdvance();
          },
        );
        await previous;
        this.#palace.vectors.keep(
          texts.flatMap(({ hash }, index) => {
            const embedding = vectors[index];
            return embedding === undefined ? [] : [{ hash, embedding }];
          }),
          embedder.model,
        );
        break;
      } catch (error) {
        if (!(error instanceof ModelChanged) || attempt === ATTEMPTS) throw error;
      }
    }
    this.#underWay.delete(number);
    this.#charsDone += chars;
    this.embedded += texts.length;
    this.#onAdvance();
  }
}
