import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { messageOf, UserError } from '../core/errors.js';
import { modelHint, requireModelFiles } from './files.js';
import type { LocalModel } from './model.js';
import { shownText } from './text.js';
import { loadTokenizer, type ModelTokenizer } from './tokenize.js';
import { joinWindows, poolBatch } from './vectors.js';
import { balancedWindows, packBatches } from './windows.js';

/**
 * Tokens per batch, padding included. On two cores 512 to 3,072 differ by less than the noise in speed;
 * peak memory of the process is 155, 165, 170 and 270 MB at 1,024, 1,536, 2,048 and 3,072.
 */
const BATCH_TOKENS = 1024;

export interface EngineOptions {
  model: LocalModel;
  /** Folder of the model's files. */
  folder: string;
  /** Threads of one inference; no more than physical cores. */
  threads: number;
  /**
   * `many` unpacks the weights once, when the model is loaded (50 to 100 ms, 25 MB); `few` unpacks them
   * in every run (5 to 15 ms): for a search, which embeds one question.
   */
  purpose: 'many' | 'few';
  /** In a worker thread: runs the native calls, see gate.ts. */
  native?: (<T>(call: () => Promise<T>) => Promise<T>) | undefined;
}

interface Parts {
  ort: typeof import('onnxruntime-node');
  session: InferenceSession;
  tokenizer: ModelTokenizer;
  native: NonNullable<EngineOptions['native']>;
}

/** Tokenizer and inference session of one model, in the thread it was loaded in. */
export class Engine {
  readonly model: LocalModel;
  readonly #parts: Parts;
  #stopped = false;
  #last: Promise<unknown> = Promise.resolve();
  /** Questions that came while passages are embedded. */
  #questions: (() => Promise<void>)[] = [];

  private constructor(model: LocalModel, parts: Parts) {
    this.model = model;
    this.#parts = parts;
  }

  /** @throws UserError naming the file that is missing or cannot be loaded, or that there is no runtime */
  static async load(options: EngineOptions): Promise<Engine> {
    const { model, folder, threads, purpose, native = (call) => call() } = options;
    await requireModelFiles(model, folder);
    const ort = await importRuntime();
    const onnx = join(folder, model.onnxFile);
    const session = await ort.InferenceSession.create(onnx, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: purpose === 'many' ? 'all' : 'disabled',
      // Plans memory for one shape, and batches have many: costs memory, gains nothing. The arena stays on:
      // without it the peak is 70 MB higher.
      enableMemPattern: false,
      logSeverityLevel: 4,
    }).catch(unloadable(model, onnx));
    const tokenizer = await loadTokenizer(model, folder).catch(
      unloadable(model, join(folder, model.tokenizerFile)),
    );
    return new Engine(model, { ort, session, tokenizer, native });
  }

  /**
   * One vector of length 1 per text, in the order of the texts and independent of the others in the call.
   * Calls run one after another, but questions do not wait for passages: they go in between. The empty text gets the
   * vector the model gives to no tokens.
   *
   * @param signal ends the call at its next batch
   * @param onAdvance called between batches with the share of the tokens that went through the model
   * @throws UserError `interrupted` once stopped; the signal's reason
   */
  embed(
    texts: readonly string[],
    role: 'passage' | 'query',
    signal?: AbortSignal,
    onAdvance?: (share: number) => void,
  ): Promise<Float32Array[]> {
    const embed = () => this.#embed(texts, role, signal, onAdvance);
    if (role === 'query') return this.#soon(embed);
    const result = this.#last.then(embed);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Ends running calls at their next batch; frees the model's memory. */
  async release(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.#last;
    await this.#parts.native(() => this.#parts.session.release());
  }

  /** At the next pause between two batches, or now. */
  #soon<T>(ask: () => Promise<T>): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#questions.push(() => ask().then(resolve, reject));
    });
    this.#last = this.#last.then(() => this.#answer());
    return result;
  }

  async #answer(): Promise<void> {
    for (let next = this.#questions.shift(); next !== undefined; next = this.#questions.shift()) await next();
  }

  async #embed(
    texts: readonly string[],
    role: 'passage' | 'query',
    signal: AbortSignal | undefined,
    onAdvance: ((share: number) => void) | undefined,
  ): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    const { tokenize, before, after } = this.#parts.tokenizer;
    // The model was trained with its prefix before every text, so every window of a long one has it.
    const lead = [...before, ...tokenize(this.model.prefixes[role])];
    const around = lead.length + after.length;
    const windows = texts.flatMap((text, index) =>
      balancedWindows(index, tokenize(shownText(text)), this.model.maxTokens - around),
    );
    const found: { vector: Float32Array; tokens: number }[][] = texts.map(() => []);
    const batches = packBatches(
      windows.map(({ ids }) => ids.length + around),
      BATCH_TOKENS,
    );
    const tokens = windows.reduce((sum, { ids }) => sum + ids.length + around, 0);
    let done = 0;
    for (const batch of batches) {
      if (done > 0) onAdvance?.(done / tokens);
      if (this.#stopped) throw new UserError('interrupted', 'embedding was stopped');
      signal?.throwIfAborted();
      if (role === 'passage') await this.#answer();
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

  /**
   * One vector of length 1 for each row of token ids, in one batch.
   *
   * @param rows at most `model.maxTokens` ids each, those that stand around a text included
   */
  async infer(rows: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const { inputs, output } = this.model;
    const { ort, session, native } = this.#parts;
    const lengths = rows.map((row) => row.length);
    const width = Math.max(1, ...lengths);
    const size = rows.length * width;
    const ids = new BigInt64Array(size);
    const mask = new BigInt64Array(size);
    for (const [index, row] of rows.entries()) {
      for (const [position, id] of row.entries()) ids[index * width + position] = BigInt(id);
      mask.fill(1n, index * width, index * width + row.length);
    }
    const tensor = (data: BigInt64Array): Tensor => new ort.Tensor('int64', data, [rows.length, width]);
    // Some exports have no token types, or call the first output otherwise.
    const types =
      inputs.types !== undefined && session.inputNames.includes(inputs.types) ? inputs.types : undefined;
    const wanted = session.outputNames.includes(output) ? output : (session.outputNames[0] ?? output);
    const feeds = {
      [inputs.ids]: tensor(ids),
      [inputs.mask]: tensor(mask),
      ...(types === undefined ? {} : { [types]: tensor(new BigInt64Array(size)) }),
    };
    const results = await native(() => session.run(feeds, [wanted]));
    const data = results[wanted]?.data;
    if (!(data instanceof Float32Array)) throw new Error(`the model has no float32 output ${wanted}`);
    return poolBatch(data, lengths, width, this.model);
  }
}

async function importRuntime(): Promise<typeof import('onnxruntime-node')> {
  try {
    const ort = await import('onnxruntime-node');
    // Keeps remarks on missing GPUs off stderr.
    ort.env.logLevel = 'error';
    return ort;
  } catch (error) {
    throw new UserError('failed', `onnxruntime-node cannot be loaded: ${messageOf(error)}`, {
      hint: `it has no binary for every platform (this is ${process.platform}-${process.arch}); run ./install.sh again`,
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
