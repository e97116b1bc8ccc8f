import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { messageOf, UserError } from '../core/errors.js';
import { modelHint, requireModelFiles } from './files.js';
import type { Embedder, LocalModel } from './model.js';
import { shownText } from './text.js';
import { loadTokenizer, type ModelTokenizer } from './tokenize.js';
import { joinWindows, poolBatch } from './vectors.js';
import { balancedWindows, packBatches } from './windows.js';

/**
 * Tokens per batch, padding included. A question waits for the running batch. Filing takes 1.08, 1.02 and 1.00 times as long
 * with 256, 512 and 1,024 (medians of three runs in turns on two quiet cores). Peak memory of the process is 155, 165, 170
 * and 270 MB at 1,024, 1,536, 2,048 and 3,072.
 */
const BATCH_TOKENS = { small: 256, large: 1_024 } as const;
/** Total length up to which a call of passages is short, as a check for duplicates is. Short calls go before long ones. */
const SHORT_CHARS = 8_000;
/** What goes first. A call is interrupted, between two batches, by those of a lower rank. */
const RANK = { question: 0, short: 1, long: 2 } as const;
type Rank = (typeof RANK)[keyof typeof RANK];

/** One vector per token, in exports of transformers and of sentence-transformers; they can have other outputs. */
const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings'];

export interface EngineOptions {
  model: LocalModel;
  /** Folder of the model's files. */
  folder: string;
  /** Threads per inference, at most the number of physical cores. */
  threads: number;
  /**
   * `many` unpacks the weights once, when the model is loaded (50 to 100 ms, 25 MB); `few` unpacks them
   * in every run (5 to 15 ms): for a search, which embeds one question.
   */
  purpose: 'many' | 'few';
  batch: 'small' | 'large';
  /** In a worker thread: runs the native calls, see gate.ts. */
  native?: <T>(call: () => Promise<T>) => Promise<T>;
}

interface Parts {
  ort: typeof import('onnxruntime-node');
  session: InferenceSession;
  tokenizer: ModelTokenizer;
  native: NonNullable<EngineOptions['native']>;
}

/** Tokenizer and inference session of one model, in the thread that loaded it. */
export class Engine implements Embedder {
  #stopped = false;
  #last: Promise<unknown> = Promise.resolve();
  /** Questions and short calls that arrived while passages are embedded. */
  #waiting: { rank: Rank; begin: () => Promise<void> }[] = [];

  private constructor(
    readonly model: LocalModel,
    private readonly parts: Parts,
    private readonly batchTokens: number,
  ) {}

  /** @throws UserError if a file is missing or cannot be loaded (it names the file), or the runtime is missing */
  static async load(options: EngineOptions): Promise<Engine> {
    const { model, folder, threads, purpose, batch, native = (call) => call() } = options;
    await requireModelFiles(model, folder);
    const ort = await importRuntime();
    const onnx = join(folder, model.onnxFile);
    const session = await ort.InferenceSession.create(onnx, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: purpose === 'many' ? 'all' : 'disabled',
      // It plans memory for one shape, but batches have many: it costs memory without a gain. The arena stays on:
      // without it the peak is 70 MB higher.
      enableMemPattern: false,
      // Threads that wait spin by default. On two busy cores that costs 21 to 28 % of the processor time, and time; on
      // quiet ones it gained 6 % of the time (measured with use-lite).
      extra: {
        session: { intra_op: { allow_spinning: '0' }, disable_prepacking: purpose === 'few' ? '1' : '0' },
      },
      logSeverityLevel: 4,
    }).catch(unloadable(model, onnx));
    const tokenizer = await loadTokenizer(model, folder, purpose).catch(
      unloadable(model, join(folder, 'tokenizer.json')),
    );
    return new Engine(model, { ort, session, tokenizer, native }, BATCH_TOKENS[batch]);
  }

  embed(...asked: Parameters<Embedder['embed']>): Promise<Float32Array[]> {
    const embed = () => this.#embed(...asked);
    const rank = rankOf(...asked);
    if (rank !== RANK.long) return this.#soon(rank, embed);
    const result = this.#last.then(embed);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Ends running calls at their next batch; frees the model's memory. */
  async close(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.#last;
    await this.parts.native(() => this.parts.session.release());
  }

  /** At the next pause between two batches of a call of a higher rank, or now. */
  #soon<T>(rank: Rank, ask: () => Promise<T>): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ rank, begin: () => ask().then(resolve, reject) });
    });
    this.#last = this.#last.then(() => this.#answer(RANK.long));
    return result;
  }

  /** What waits with a lower rank than this. */
  async #answer(than: Rank): Promise<void> {
    for (;;) {
      const at = this.#waiting.findIndex(({ rank }) => rank < than);
      const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (next === undefined) return;
      await next.begin();
    }
  }

  async #embed(...[texts, role = 'passage', signal, onAdvance]: Parameters<Embedder['embed']>) {
    signal?.throwIfAborted();
    const rank = rankOf(texts, role);
    const { tokenize, before, after } = this.parts.tokenizer;
    // The model was trained with its prefix before every text, so every window of a long one has it.
    const lead = [...before, ...tokenize(this.model.prefixes[role])];
    const around = lead.length + after.length;
    const windows = texts.flatMap((text, index) =>
      balancedWindows(index, tokenize(shownText(text)), this.model.maxTokens - around),
    );
    const found: { vector: Float32Array; tokens: number }[][] = texts.map(() => []);
    const lengths = windows.map(({ ids }) => ids.length + around);
    const tokens = lengths.reduce((sum, length) => sum + length, 0);
    let done = 0;
    for (const batch of packBatches(lengths, this.batchTokens)) {
      if (done > 0) onAdvance?.(done / tokens);
      if (this.#stopped) throw new UserError('interrupted', 'embedding was stopped');
      signal?.throwIfAborted();
      await this.#answer(rank);
      const rows = batch.flatMap((index) => windows[index] ?? []);
      const vectors = await this.infer(rows.map(({ ids }) => [...lead, ...ids, ...after]));
      for (const [row, window] of rows.entries()) {
        const vector = vectors[row];
        if (vector !== undefined) found[window.text]?.push({ vector, tokens: window.ids.length });
        done += window.ids.length + around;
      }
    }
    return found.map(joinWindows);
  }

  /** One vector per row of token ids, in one batch. A row has at most `model.maxTokens` ids, special ones included. */
  async infer(rows: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const { ort, session, native } = this.parts;
    const lengths = rows.map((row) => row.length);
    const width = Math.max(1, ...lengths);
    const size = rows.length * width;
    const ids = new BigInt64Array(size);
    const mask = new BigInt64Array(size);
    for (const [index, row] of rows.entries()) {
      ids.set(row.map(BigInt), index * width);
      mask.fill(1n, index * width, index * width + row.length);
    }
    const tensor = (data: BigInt64Array): Tensor => new ort.Tensor('int64', data, [rows.length, width]);
    const types = session.inputNames.includes('token_type_ids') ? new BigInt64Array(size) : undefined;
    const feeds = {
      input_ids: tensor(ids),
      attention_mask: tensor(mask),
      ...(types === undefined ? {} : { token_type_ids: tensor(types) }),
    };
    const [first = ''] = session.outputNames;
    const output = session.outputNames.find((name) => TOKEN_OUTPUTS.includes(name)) ?? first;
    const results = await native(() => session.run(feeds, [output]));
    const data = results[output]?.data;
    if (!(data instanceof Float32Array)) throw new Error(`the model's output ${output} is not float32`);
    return poolBatch(data, lengths, width, this.model);
  }
}

function rankOf(...[texts, role]: Parameters<Embedder['embed']>): Rank {
  if (role === 'query') return RANK.question;
  return texts.reduce((sum, { length }) => sum + length, 0) <= SHORT_CHARS ? RANK.short : RANK.long;
}

async function importRuntime(): Promise<typeof import('onnxruntime-node')> {
  try {
    const ort = await import('onnxruntime-node');
    // Keeps remarks on missing GPUs off stderr.
    ort.env.logLevel = 'error';
    return ort;
  } catch (error) {
    throw new UserError('failed', `onnxruntime-node cannot be loaded: ${messageOf(error)}`, {
      hint: `it does not have a binary for every platform (this is ${process.platform}-${process.arch}); run ./install.sh again`,
      cause: error,
    });
  }
}

function unloadable(model: LocalModel, path: string): (error: unknown) => never {
  return (error) => {
    throw new UserError('failed', `model file cannot be loaded: ${path}: ${messageOf(error)}`, {
      hint: modelHint(model),
      cause: error,
    });
  };
}
