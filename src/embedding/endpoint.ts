import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { UserError } from '../core/errors.js';
import { untilAborted } from '../platform/until-aborted.js';
import { type EndpointModel, endpointModel, isLoopback } from './endpoint-id.js';
import { type Http, mayPass, openHttp, reasonOf } from './http.js';
import type { Embedder, OnAdvance } from './model.js';
import { embeddedText, shownText } from './text.js';
import { joinWindows } from './vectors.js';
import { byteWindows, packSizes } from './windows.js';

/**
 * Longest piece of text that is sent as one, in UTF-8 bytes: the server does not say how many tokens its model
 * reads, and many read 512; this is about as many in English as in Chinese. Longer texts are the mean of pieces.
 */
const WINDOW_BYTES = 1_500;
/** Most text and most pieces in one request. */
const REQUEST_BYTES = 48_000;
const REQUEST_PIECES = 64;
/** A server that loads its model first takes its time. */
const SILENCE_MS = 120_000;
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

export interface EndpointOptions {
  /** `URL#model`. */
  id: string;
  /** As the palace records it; without, one text is sent to find out. */
  dimension?: number | undefined;
  /** `MEMPALACE_API_KEY` or `OPENAI_API_KEY`, and proxies. */
  env: NodeJS.ProcessEnv;
}

/** The answer of `POST <url>/embeddings` as OpenAI, Ollama, LM Studio and llama.cpp give it. */
const answerSchema = z.object({
  data: z.array(z.object({ index: z.number().int().min(0), embedding: z.array(z.number()) })),
});
const refusalSchema = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

/**
 * An embedder that sends every text to a server. The texts leave this process, see `model.reach`.
 *
 * @throws UserError `usage` for an id that is no endpoint; `failed` when the server does not answer as it should
 */
export async function connectEndpoint({ id, dimension, env }: EndpointOptions): Promise<Embedder> {
  const asked = endpointModel(id, dimension ?? 0);
  if (asked === undefined) throw new UserError('usage', `not an endpoint: ${JSON.stringify(id)}`);
  const http = await openHttp({ env, silenceMs: SILENCE_MS });
  const closing = new AbortController();
  const server = new Server(asked, http, env, closing.signal);
  let model = asked;
  if (dimension === undefined) {
    try {
      const [probe = []] = await server.vectors([embeddedText('dimension', asked, 'passage')]);
      model = { ...asked, dimension: probe.length };
    } catch (error) {
      await http.close();
      throw error;
    }
  }
  let last: Promise<unknown> = Promise.resolve();
  return {
    model,
    embed(texts, role = 'passage', signal, onAdvance) {
      const call = last.then(() => embedAll(texts, role, { model, server, signal, onAdvance }));
      last = call.catch(() => undefined);
      return untilAborted(call, signal);
    },
    async close() {
      closing.abort(new UserError('interrupted', 'the embedder was closed'));
      await http.close();
    },
  };
}

async function embedAll(
  texts: readonly string[],
  role: 'passage' | 'query',
  {
    model,
    server,
    signal,
    onAdvance,
  }: {
    model: EndpointModel;
    server: Server;
    signal: AbortSignal | undefined;
    onAdvance: OnAdvance | undefined;
  },
): Promise<Float32Array[]> {
  signal?.throwIfAborted();
  const prefix = model.prefixes[role];
  const pieces = texts.flatMap((text, index) =>
    byteWindows(shownText(text), WINDOW_BYTES).map((piece) => ({
      index,
      // Servers refuse the empty string.
      sent: prefix + piece || ' ',
      bytes: Buffer.byteLength(piece),
    })),
  );
  const found: { vector: Float32Array; tokens: number }[][] = texts.map(() => []);
  const total = pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  let sent = 0;
  for (const batch of packSizes(pieces, ({ bytes }) => bytes, REQUEST_BYTES, REQUEST_PIECES)) {
    signal?.throwIfAborted();
    if (sent > 0) onAdvance?.(sent / total);
    const vectors = await server.vectors(batch.map(({ sent }) => sent));
    for (const [row, { index, bytes }] of batch.entries()) {
      const vector = vectors[row] ?? [];
      if (vector.length !== model.dimension) {
        throw new UserError('failed', `${model.id} gave ${vector.length} numbers, not ${model.dimension}`, {
          hint: 'another model answers under this name; vectors of two models cannot be compared',
        });
      }
      found[index]?.push({ vector: Float32Array.from(vector), tokens: bytes });
      sent += bytes;
    }
  }
  try {
    return found.map(joinWindows);
  } catch (error) {
    throw new UserError('failed', `${model.id}: ${reasonOf(error)}`, { cause: error });
  }
}

/** One endpoint: requests, retries and what can go wrong with them. */
class Server {
  readonly #model: EndpointModel;
  readonly #http: Http;
  readonly #url: URL;
  readonly #key: string | undefined;
  readonly #keyHeldBack: boolean;
  readonly #signal: AbortSignal;

  constructor(model: EndpointModel, http: Http, env: NodeJS.ProcessEnv, signal: AbortSignal) {
    this.#model = model;
    this.#http = http;
    this.#signal = signal;
    this.#url = new URL(`${model.url}/embeddings`);
    const key = env.MEMPALACE_API_KEY || env.OPENAI_API_KEY || undefined;
    const safe = this.#url.protocol === 'https:' || isLoopback(this.#url.hostname);
    this.#key = safe ? key : undefined;
    this.#keyHeldBack = key !== undefined && !safe;
  }

  /** The raw vectors of some texts, in their order. Tries again where that may help. */
  async vectors(input: readonly string[]): Promise<number[][]> {
    for (let attempt = 1; ; attempt++) {
      this.#signal.throwIfAborted();
      const outcome = await this.#ask(input);
      if ('vectors' in outcome) return outcome.vectors;
      if (!outcome.passing || attempt === ATTEMPTS) throw outcome.error;
      const pause = Math.max(outcome.pauseMs, FIRST_PAUSE_MS * 2 ** (attempt - 1));
      await sleep(Math.min(LONGEST_PAUSE_MS, pause), undefined, { signal: this.#signal }).catch(() => {});
    }
  }

  async #ask(
    input: readonly string[],
  ): Promise<{ vectors: number[][] } | { error: UserError; passing: boolean; pauseMs: number }> {
    const { name } = this.#model;
    let status: number;
    let body: string;
    let retryAfter: string | null;
    try {
      const answer = await this.#http.fetch(this.#url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` }),
        },
        body: JSON.stringify({ model: name, input, encoding_format: 'float' }),
        signal: this.#signal,
      });
      status = answer.status;
      retryAfter = answer.headers.get('retry-after');
      body = await answer.text();
    } catch (error) {
      this.#signal.throwIfAborted();
      const reason = reasonOf(error);
      return {
        error: this.#error(`does not answer: ${reason}`, START),
        passing: mayPass(reason),
        pauseMs: 0,
      };
    }
    if (status === 200) return { vectors: this.#parse(body, input.length) };
    const said = refusalOf(body);
    const passing = status === 429 || status >= 500;
    const hint = status === 401 || status === 403 ? this.#keyHint() : status === 404 ? UNKNOWN : undefined;
    return {
      error: this.#error(`answered ${status}${said === '' ? '' : `: ${said}`}`, hint),
      passing,
      pauseMs: Number(retryAfter ?? 0) * 1_000 || 0,
    };
  }

  #parse(body: string, count: number): number[][] {
    const parsed = answerSchema.safeParse(parseJson(body));
    if (!parsed.success) throw this.#error('does not answer as an embeddings endpoint does', UNKNOWN);
    const vectors = [...parsed.data.data].sort((a, b) => a.index - b.index);
    if (vectors.length !== count || vectors.some(({ index }, at) => index !== at)) {
      throw this.#error(`gave ${vectors.length} vectors for ${count} texts`);
    }
    return vectors.map(({ embedding }) => embedding);
  }

  #keyHint(): string {
    return this.#keyHeldBack
      ? 'the key was not sent, since the connection is not encrypted: use https'
      : 'put a key that it accepts into $MEMPALACE_API_KEY';
  }

  #error(what: string, hint?: string): UserError {
    return new UserError('failed', `${this.#model.url} ${what}`, hint === undefined ? {} : { hint });
  }
}

const START = 'start the server, or search and file with another model (mempalace model list)';
const UNKNOWN = 'check the URL (it often ends in /v1) and that the server has the model';

function refusalOf(body: string): string {
  const parsed = refusalSchema.safeParse(parseJson(body));
  if (!parsed.success) return '';
  const { error } = parsed.data;
  return (typeof error === 'string' ? error : error.message).slice(0, 300);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
