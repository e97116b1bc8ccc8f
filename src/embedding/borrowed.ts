import { UserError } from '../core/errors.js';
import type { Embedder, EmbeddingModel } from './model.js';

/** The model of another process of this machine. */
export interface Lender {
  /** Rejects when the process has ended, does not answer, or refuses. */
  embed(texts: readonly string[], role: 'passage' | 'query', signal: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** An embedder that asks another process, which may end at any time. It does not report the advance of a call. */
export class Borrowed implements Embedder {
  readonly #closing = new AbortController();
  /** In the place of the lender, after its first failure. */
  #own: Promise<Embedder> | undefined;

  /** @param own starts a model of this process; called once, with the reason */
  constructor(
    readonly model: EmbeddingModel,
    private readonly lender: Lender,
    private readonly own: (reason: unknown) => Promise<Embedder>,
  ) {}

  /** A call that the lender did not answer is repeated by the own model; answered ones are not. */
  async embed(...[texts, role = 'passage', signal, onAdvance]: Parameters<Embedder['embed']>) {
    const wanted =
      signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    wanted.throwIfAborted();
    if (this.#own === undefined) {
      try {
        return await this.lender.embed(texts, role, wanted);
      } catch (error) {
        wanted.throwIfAborted();
        this.#own ??= this.#begin(error);
      }
    }
    return (await this.#own).embed(texts, role, signal, onAdvance);
  }

  async #begin(reason: unknown): Promise<Embedder> {
    await this.lender.close();
    return this.own(reason);
  }

  async close(): Promise<void> {
    this.#closing.abort(new UserError('interrupted', 'the embedder was closed'));
    await this.lender.close();
    const own = await this.#own?.catch(() => undefined);
    await own?.close();
  }
}
