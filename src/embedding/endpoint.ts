import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { UserError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { Http, isPassingStatus, isPrivate, mayPass, PassingError, reasonOf } from '../platform/http.js';
import { untilAborted } from '../platform/until-aborted.js';
import { type EndpointModel, endpointModel } from './endpoint-id.js';
import type { Embedder } from './model.js';
import { shownText } from './text.js';
import { joinWindows } from './vectors.js';
import { byteWindows, packSizes } from './windows.js';

/**
 * Longest piece of text that is sent whole, in UTF-8 bytes: the server does not say how many tokens its model reads, and
 * many read 512; this is about as many in English as in Chinese. The vector of a longer text is the mean of its pieces.
 */
const WINDOW_BYTES = 1_500;
/** Limits of one request. */
const REQUEST_BYTES = 48_000;
const REQUEST_PIECES = 64;
/** Includes the time in which a server loads its model. */
const SILENCE_MS = 120_000;
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

const START = 'start the server, or search and file with another model (mempalace model list)';
const KEY_WITHHELD = 'the key was not sent, since the connection is not encrypted: use https';
const KEY_REFUSED = 'put a key that it accepts into $MEMPALACE_API_KEY';
const UNKNOWN = 'check the URL (it often ends in /v1) and that the server has the model';

/** The answer of `POST <url>/embeddings` from OpenAI, Ollama, LM Studio and llama.cpp. */
const answerSchema = z.object({
  data: z.array(z.object({ index: z.number().int().min(0), embedding: z.array(z.number()) })),
});
const refusalSchema = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

/** An embedder that sends every text to a server. */
export class Endpoint implements Embedder {
  readonly #http: Http;
  readonly #url: URL;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly model: EndpointModel,
    private readonly env: NodeJS.ProcessEnv,
  ) {
    this.#http = new Http(env, SILENCE_MS);
    this.#url = new URL(`${model.url}/embeddings`);
  }

  /**
   * @param id `URL#model`
   * @param dimension as recorded in the palace; if undefined, one text is sent to measure it
   * @throws UserError `usage` for an id that is not an endpoint; `failed` when the server does not answer properly
   */
  static async open(id: string, dimension: number | undefined, env: NodeJS.ProcessEnv): Promise<Endpoint> {
    const model = endpointModel(id, dimension ?? 0);
    if (model === undefined) throw new UserError('usage', `not an endpoint: ${JSON.stringify(id)}`);
    const endpoint = new Endpoint(model, env);
    if (dimension !== undefined) return endpoint;
    try {
      const [probe = []] = await endpoint.#vectors([`${model.prefixes.passage}dimension`]);
      model.dimension = probe.length;
      return endpoint;
    } catch (error) {
      await endpoint.close();
      throw error;
    }
  }

  embed(...asked: Parameters<Embedder['embed']>): Promise<Float32Array[]> {
    const call = this.#last.then(() => this.#embed(...asked));
    this.#last = call.catch(() => undefined);
    return untilAborted(call, asked[2]);
  }

  async close(): Promise<void> {
    this.#closing.abort(new UserError('interrupted', 'the embedder was closed'));
    await this.#http.close();
  }

  async #embed(...[texts, role = 'passage', signal, onAdvance]: Parameters<Embedder['embed']>) {
    const { id, dimension, prefixes } = this.model;
    const pieces = texts.flatMap((text, index) =>
      byteWindows(shownText(text), WINDOW_BYTES).map((piece) => ({
        index,
        // Servers refuse the empty string.
        sent: prefixes[role] + piece || ' ',
        bytes: Buffer.byteLength(piece),
      })),
    );
    const found: { vector: Float32Array; tokens: number }[][] = texts.map(() => []);
    const total = pieces.reduce((sum, { bytes }) => sum + bytes, 0);
    let done = 0;
    for (const batch of packSizes(pieces, ({ bytes }) => bytes, REQUEST_BYTES, REQUEST_PIECES)) {
      signal?.throwIfAborted();
      if (done > 0) onAdvance?.(done / total);
      const vectors = await this.#vectors(batch.map(({ sent }) => sent));
      for (const [row, { index, bytes }] of batch.entries()) {
        const vector = Float32Array.from(vectors[row] ?? []);
        if (vector.length !== dimension) {
          throw new UserError('failed', `${id} gave ${vector.length} numbers, not ${dimension}`, {
            hint: 'another model answers under this name; vectors of two models cannot be compared',
          });
        }
        found[index]?.push({ vector, tokens: bytes });
        done += bytes;
      }
    }
    try {
      return found.map(joinWindows);
    } catch (error) {
      throw new UserError('failed', `${id}: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** The raw vectors of texts, in their order. Tries again after an error that may pass. */
  async #vectors(input: readonly string[]): Promise<number[][]> {
    const { signal } = this.#closing;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        return await this.#ask(input);
      } catch (error) {
        if (!(error instanceof PassingError) || attempt === ATTEMPTS) throw error;
        const pause = Math.max(error.waitMs, FIRST_PAUSE_MS * 2 ** (attempt - 1));
        await sleep(Math.min(LONGEST_PAUSE_MS, pause), undefined, { signal }).catch(() => {});
      }
    }
  }

  async #ask(input: readonly string[]): Promise<number[][]> {
    const { signal } = this.#closing;
    const key = this.env.MEMPALACE_API_KEY || this.env.OPENAI_API_KEY;
    const withheld = key && !isPrivate(this.#url);
    const request = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key && !withheld ? { authorization: `Bearer ${key}` } : {}),
      },
      body: JSON.stringify({ model: this.model.name, input, encoding_format: 'float' }),
      signal,
    };
    const answer = this.#http.fetch(this.#url, request);
    const body = await answer
      .then((response) => response.text())
      .catch((error: unknown) => {
        signal.throwIfAborted();
        const reason = reasonOf(error);
        throw this.#error(`does not answer: ${reason}`, START, mayPass(reason));
      });
    const { status, headers } = await answer;
    if (status === 200) return this.#parsed(body, input.length);
    const refusal = refusalSchema.safeParse(parseJson(body)).data?.error ?? '';
    const said = (typeof refusal === 'string' ? refusal : refusal.message).slice(0, 300);
    const refused = status === 401 || status === 403;
    const hint = refused ? (withheld ? KEY_WITHHELD : KEY_REFUSED) : status === 404 ? UNKNOWN : undefined;
    const waitMs = Number(headers.get('retry-after') ?? 0) * 1_000 || 0;
    const what = `answered ${status}${said === '' ? '' : `: ${said}`}`;
    throw this.#error(what, hint, isPassingStatus(status), waitMs);
  }

  #parsed(body: string, count: number): number[][] {
    const parsed = answerSchema.safeParse(parseJson(body));
    if (!parsed.success) throw this.#error('does not answer as an embeddings endpoint does', UNKNOWN);
    const vectors = [...parsed.data.data].sort((a, b) => a.index - b.index);
    if (vectors.length !== count || vectors.some(({ index }, at) => index !== at)) {
      throw this.#error(`gave ${vectors.length} vectors for ${count} texts`);
    }
    return vectors.map(({ embedding }) => embedding);
  }

  #error(what: string, hint?: string, passing = false, waitMs = 0): UserError {
    const message = `${this.model.url} ${what}`;
    if (!passing) return new UserError('failed', message, { hint });
    return Object.assign(new PassingError('failed', message, { hint }), { waitMs });
  }
}
