import { type Embedder, textKey } from '../embedding/index.js';
import { ModelChanged, type Palace } from '../store/index.js';

/** Texts embedded together: enough to sort by length, few enough that a killed run loses seconds. */
const WAVE_TEXTS = 512;
const WAVE_CHARS = 400_000;
/** The same share of both for a run that has to end in time: what is in a wave is embedded to its end. */
const HASTE = 1 / 8;
/** Waves under way at once: one in the worker, one waiting for it. */
const WAVES_IN_FLIGHT = 2;
/** A wave is embedded so often while other programs change the palace's model. */
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
 * Gathers the texts that have no vector yet, from all sources, into waves for the embedder. Vectors of a
 * finished wave lie in the palace's side table, so nothing is embedded twice, not even after a kill.
 */
export class EmbeddingQueue {
  readonly #palace: Palace;
  readonly #embedder: () => Promise<Embedder>;
  readonly #refresh: boolean;
  readonly #share: number;
  /** Hashes asked for in this run, so that a text is embedded once even before its vector is stored. */
  readonly #asked = new Set<string>();
  #gathering = new Map<string, { hash: Buffer; text: string }>();
  #chars = 0;
  #flushed = 0;
  #finished = 0;
  #waves: Wave[] = [];
  #failure: { error: unknown } | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onAdvance: () => void;
  /** Characters and texts of each wave that is being embedded, as far as it is. */
  readonly #underWay = new Map<number, { chars: number; texts: number }>();
  #charsDone = 0;
  embedded = 0;
  /** Characters of all texts that had to be asked for. */
  asked = 0;

  /**
   * @param embedder the embedder of the palace's model; called for each wave, since the model may change in between
   * @param refresh embed texts again although their vectors are known
   * @param hurry small waves: the run may have to end soon
   * @param signal drops what is being embedded
   * @param onAdvance called whenever more is embedded
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

  /** Asks for the vector of a text; returns the hash by which it will be found. */
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

  /** The wave after which everything wanted so far has its vector. */
  get position(): number {
    return this.#flushed + (this.#gathering.size > 0 ? 1 : 0);
  }

  /** All waves up to this number are embedded and stored. */
  get finished(): number {
    return this.#finished;
  }

  /** Characters and texts that are embedded, those of waves under way included. */
  get advance(): { chars: number; texts: number } {
    const sum = { chars: this.#charsDone, texts: this.embedded };
    for (const { chars, texts } of this.#underWay.values()) {
      sum.chars += chars;
      sum.texts += Math.floor(texts);
    }
    return sum;
  }

  /** Sends what was gathered to the embedder. */
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

  /** Waits until everything wanted is embedded. @throws what the embedder threw */
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

  /** Stored as vectors of the model that made them, or, where the palace changed its model meanwhile, embedded again. */
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
