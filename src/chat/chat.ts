import type { Response } from 'undici';
import { z } from 'zod';
import { UserError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { cut, estimateTokens, QUARTERS } from '../core/tokens.js';
import { Http, reasonOf } from '../platform/http.js';
import type { ChatAddress } from './address.js';

export interface ChatMessage {
  role: 'system' | 'user';
  content: string;
}

export interface ChatReply {
  text: string;
  /** Of question and answer: as the server says, else estimated. */
  tokens: number;
}

export interface ChatLimits {
  /** Time for a whole answer, milliseconds. It includes the time in which a server loads its model. */
  deadlineMs: number;
  bytes: number;
}

const LIMITS: ChatLimits = { deadlineMs: 300_000, bytes: 1_000_000 };
/** A count that no answer can need is not believed. */
const MOST_TOKENS = 10_000_000;
const SAID_CHARS = 300;

/** The answer of `POST <url>/chat/completions` from OpenAI, Kimi, Ollama, LM Studio and llama.cpp. */
const answerSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
});
const usageSchema = z.object({ usage: z.object({ total_tokens: z.int().min(1).max(MOST_TOKENS) }) });
const refusalSchema = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });
/** What a model that reasons writes before its answer, where the server leaves it in. */
const REASONING = /^\s*<think>[\s\S]*?<\/think>/;

/** A question that was not answered. What the server said is only in the hint, since it may quote the question. */
export class ChatError extends UserError {
  /** False: another question may be answered. */
  readonly concernsServer: boolean;
  /** Estimated tokens that the server may have counted. */
  readonly tokens: number;

  constructor(
    message: string,
    about: { hint?: string | undefined; concernsServer: boolean; tokens: number },
  ) {
    super('failed', message, { hint: about.hint });
    this.concernsServer = about.concernsServer;
    this.tokens = about.tokens;
  }
}

/** Asks a model, one question at a time, without retries. Close it at the end. */
export class Chat {
  readonly #http: Http;
  readonly #limits: ChatLimits;

  constructor(
    private readonly address: ChatAddress,
    env: NodeJS.ProcessEnv,
    limits: Partial<ChatLimits> = {},
  ) {
    this.#limits = { ...LIMITS, ...limits };
    this.#http = new Http(env, this.#limits.deadlineMs);
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /**
   * @param most tokens of the answer
   * @throws ChatError; the signal's reason
   */
  async ask(messages: readonly ChatMessage[], most: number, signal: AbortSignal): Promise<ChatReply> {
    const sent = estimateTokens(messages.map(({ content }) => content).join('\n'));
    let { status, body } = await this.#post({ messages, max_tokens: most }, sent, signal);
    // OpenAI's newer models refuse the older name of the limit.
    if (status === 400 && body.includes('max_completion_tokens'))
      ({ status, body } = await this.#post({ messages, max_completion_tokens: most }, sent, signal));
    if (status !== 200) throw this.#refused(status, body);
    const answer = parseJson(body);
    const { data } = answerSchema.safeParse(answer);
    if (data === undefined)
      throw this.#error('does not answer as a chat endpoint does', { hint: CHECK_URL, tokens: sent });
    // A server may ignore the limit.
    const content = cut(
      (data.choices[0]?.message.content ?? '').replace(REASONING, '').trim(),
      2 * most * QUARTERS,
    );
    const tokens = usageSchema.safeParse(answer).data?.usage.total_tokens ?? sent + estimateTokens(content);
    if (content === '')
      throw this.#error('gave an empty answer', { hint: EMPTY, concernsServer: false, tokens });
    return { text: content, tokens };
  }

  async #post(
    request: object,
    tokens: number,
    signal: AbortSignal,
  ): Promise<{ status: number; body: string }> {
    const { url, model, token } = this.address;
    const late = AbortSignal.timeout(this.#limits.deadlineMs);
    let response: Response | undefined;
    try {
      response = await this.#http.fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ model, stream: false, ...request }),
        signal: AbortSignal.any([signal, late]),
      });
      return { status: response.status, body: await this.#read(response, tokens) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ChatError) throw error;
      if (late.aborted)
        throw this.#error(`did not answer within ${this.#limits.deadlineMs / 1_000} s`, {
          hint: SLOW,
          tokens,
        });
      const isSent = response !== undefined;
      throw this.#error(`does not answer: ${reasonOf(error)}`, { hint: START, tokens: isSent ? tokens : 0 });
    }
  }

  async #read({ body }: Response, tokens: number): Promise<string> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of body ?? []) {
      bytes += part.length;
      if (bytes > this.#limits.bytes)
        throw this.#error(`answered with more than ${this.#limits.bytes} bytes`, { hint: CHECK_URL, tokens });
      parts.push(part);
    }
    return Buffer.concat(parts).toString('utf8');
  }

  #refused(status: number, body: string): ChatError {
    if (status >= 300 && status < 400)
      return this.#error('redirects to another address, to which nothing was sent', { hint: CHECK_URL });
    const refusal = refusalSchema.safeParse(parseJson(body)).data?.error ?? '';
    const said = (typeof refusal === 'string' ? refusal : refusal.message).slice(0, SAID_CHARS);
    const hint = said === '' ? (HINTS[status] ?? LATER) : `it says: ${said}`;
    const concernsServer = ![400, 413, 422].includes(status);
    return this.#error(`answered ${status}${MEANINGS[status] ?? ''}`, { hint, concernsServer });
  }

  #error(
    what: string,
    {
      hint,
      concernsServer = true,
      tokens = 0,
    }: { hint?: string | undefined; concernsServer?: boolean; tokens?: number },
  ): ChatError {
    const { origin, pathname } = this.address.url;
    return new ChatError(`${origin}${pathname} ${what}`, { hint, concernsServer, tokens });
  }
}

const START = 'start the server; mempalace config show prints summary.url';
const SLOW = 'a smaller model, or a smaller summary.context, answers sooner';
const CHECK_URL = 'check summary.url, which often ends in /v1';
const CHECK_TOKEN = 'put a key that it accepts into the file of summary.token_file';
const LATER = 'try again later';
const EMPTY = 'a model that reasons may use up the limit of the answer: set another summary.model';
const HINTS: Record<number, string> = {
  400: 'check summary.model and summary.context',
  401: CHECK_TOKEN,
  403: CHECK_TOKEN,
  404: 'check summary.url, which often ends in /v1, and summary.model',
  429: LATER,
};
const MEANINGS: Record<number, string> = {
  401: ': it refuses the token',
  403: ': it refuses the token',
  429: ': it takes no more requests now',
};
