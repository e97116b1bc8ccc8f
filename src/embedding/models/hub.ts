import { UserError } from '../../core/errors.js';
import { isLoopback } from '../endpoint-id.js';
import { type Http, mayPass, openHttp, reasonOf } from '../http.js';
import type { LocalModel } from '../index.js';

const HUGGING_FACE = 'https://huggingface.co';
const SILENCE_MS = 60_000;
const REDIRECTS = 5;

/** The answer to a request for a file, or for the rest of one. */
export interface HubAnswer {
  /** Where the bytes of `body` begin in the file. */
  start: number;
  /** Size of the whole file, where the server says. */
  total: number | undefined;
  /** Absent when nothing is missing. */
  body: AsyncIterable<Uint8Array> | undefined;
  /** The hub states the SHA-256 of large files, and of small ones the SHA-1 that git keeps them under. */
  sha256: string | undefined;
  gitSha1: string | undefined;
}

/** Errors that may be gone with the next try. */
const passing = new WeakSet<UserError>();
export const isPassing = (error: UserError): boolean => passing.has(error);

function markedPassing(error: UserError): UserError {
  passing.add(error);
  return error;
}

/**
 * Files of one model from a server with the URLs of the Hugging Face hub:
 * `<endpoint>/<repository>/resolve/<revision>/<path>`.
 *
 * `HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE` and the proxy variables count as they do for the hub's own tools.
 */
export class Hub {
  readonly endpoint: URL;
  readonly #model: LocalModel;
  readonly #http: Http;
  readonly #token: string | undefined;

  private constructor(model: LocalModel, endpoint: URL, http: Http, token: string | undefined) {
    this.#model = model;
    this.endpoint = endpoint;
    this.#http = http;
    this.#token = token;
  }

  /** @throws UserError `usage` for a malformed `HF_ENDPOINT`, `failed` under `HF_HUB_OFFLINE` */
  static async open(model: LocalModel, env: NodeJS.ProcessEnv): Promise<Hub> {
    if (/^(?:1|true|yes|on)$/i.test(env.HF_HUB_OFFLINE ?? '')) {
      throw new UserError('failed', `HF_HUB_OFFLINE is set: ${model.id} is not fetched`, {
        hint: fromFolder(model),
      });
    }
    const address = env.HF_ENDPOINT || HUGGING_FACE;
    if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
      throw new UserError('usage', `HF_ENDPOINT is not a URL: ${JSON.stringify(address)}`, {
        hint: `unset it, or set it to a mirror such as ${HUGGING_FACE}`,
      });
    }
    const endpoint = new URL(address);
    const http = await openHttp({ env, silenceMs: SILENCE_MS });
    return new Hub(model, endpoint, http, env.HF_TOKEN || undefined);
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /**
   * Asks for a file from byte `from` on.
   *
   * @throws UserError naming the file and the cure, see `isPassing`
   */
  async get(name: string, from: number, signal?: AbortSignal): Promise<HubAnswer> {
    const path = [this.#model.repository, 'resolve', this.#model.revision, name].join('/');
    let url = new URL(`${this.endpoint.pathname.replace(/\/+$/, '')}/${path}`, this.endpoint);
    const stated: { etag?: string; size?: number } = {};
    for (let hop = 0; hop <= REDIRECTS; hop++) {
      const response = await this.#request(name, url, from, signal);
      const { status, headers } = response;
      // Only the hub's own tags are hashes of the content; other servers' may be anything.
      if (headers.has('x-repo-commit')) {
        stated.etag ??= unquoted(headers.get('x-linked-etag') ?? headers.get('etag'));
        stated.size ??= count(headers.get('x-linked-size'));
      }
      const location = headers.get('location');
      if (status >= 300 && status < 400 && location !== null) {
        await response.body?.cancel();
        url = this.#redirected(name, url, location);
        continue;
      }
      const hashes = { sha256: hex(stated.etag, 64), gitSha1: hex(stated.etag, 40) };
      const [, start, , end] =
        /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
      if (status === 416 && from > 0) {
        await response.body?.cancel();
        // Either nothing is missing, or what is there is too long: then it begins again.
        const total = count(end) ?? stated.size;
        if (total === from) return { start: from, total, body: undefined, ...hashes };
        return this.get(name, 0, signal);
      }
      if (status === 200 || (status === 206 && Number(start) === from)) {
        const type = headers.get('content-type') ?? '';
        if (response.body === null || type.startsWith('text/html'))
          throw this.#error(name, `${url.host} sent a web page instead (a login page of the network?)`);
        const length =
          headers.get('content-encoding') === null ? count(headers.get('content-length')) : undefined;
        const total = stated.size ?? (status === 206 ? count(end) : length);
        return { start: status === 206 ? from : 0, total, body: response.body, ...hashes };
      }
      await response.body?.cancel();
      throw this.#refused(name, url, status);
    }
    throw this.#error(name, `${this.endpoint.host} redirects in a circle`);
  }

  /** A connection that ended before the file was whole. */
  broken(name: string, error: unknown): UserError {
    const reason = typeof error === 'string' ? error : reasonOf(error);
    const message = `the connection broke while ${name} of ${this.#model.id} was fetched: ${reason}`;
    return markedPassing(
      new UserError('failed', message, { hint: 'run the command again: it goes on where it stopped' }),
    );
  }

  async #request(name: string, url: URL, from: number, signal?: AbortSignal) {
    // The token is for the endpoint; storage that it redirects to needs none, and shall not learn it.
    const own = url.origin === this.endpoint.origin;
    const safe = url.protocol === 'https:' || isLoopback(url.hostname);
    const headers = {
      'accept-encoding': 'identity',
      'user-agent': 'mempalace-toolkit',
      ...(from > 0 ? { range: `bytes=${from}-` } : {}),
      ...(this.#token !== undefined && own && safe ? { authorization: `Bearer ${this.#token}` } : {}),
    };
    try {
      return await this.#http.fetch(url, { headers, ...(signal === undefined ? {} : { signal }) });
    } catch (error) {
      signal?.throwIfAborted();
      const reason = reasonOf(error);
      const failed = this.#error(name, `${url.host} cannot be reached (${reason})`);
      throw mayPass(reason) ? markedPassing(failed) : failed;
    }
  }

  #redirected(name: string, from: URL, location: string): URL {
    const url = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
    if (
      url === undefined ||
      !/^https?:$/.test(url.protocol) ||
      (from.protocol === 'https:' && url.protocol === 'http:')
    ) {
      throw this.#error(
        name,
        `${from.host} redirects to where no file is fetched from (${location.slice(0, 100)})`,
      );
    }
    return url;
  }

  #refused(name: string, url: URL, status: number): UserError {
    if (status === 404) return this.#error(name, `${url.host} does not have it (404)`, 'not-found');
    if (status === 401 || status === 403) {
      const { message, hint } = this.#error(name, `${url.host} refuses it (${status})`);
      return new UserError('failed', message, {
        hint: `set HF_TOKEN to a token that may read ${this.#model.repository}; ${hint}`,
      });
    }
    const error = this.#error(name, `${url.host} answered ${status}`);
    return status === 429 || status >= 500 ? markedPassing(error) : error;
  }

  #error(name: string, reason: string, code: 'failed' | 'not-found' = 'failed'): UserError {
    return new UserError(code, `${name} of ${this.#model.id} was not fetched: ${reason}`, {
      hint: `check the network, HTTPS_PROXY and HF_ENDPOINT; or ${fromFolder(this.#model)}`,
    });
  }
}

/** How a machine without network gets a model. */
function fromFolder(model: LocalModel): string {
  const names = model.files.map(({ name }) => name).join(', ');
  return `bring ${names} of ${model.repository} at ${model.revision.slice(0, 12)} here and run mempalace model pull ${model.id} --from <folder>`;
}

const count = (text: string | null | undefined): number | undefined =>
  text !== null && text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
const hex = (text: string | undefined, digits: number): string | undefined =>
  text !== undefined && text.length === digits && /^[0-9a-f]+$/.test(text) ? text : undefined;
const unquoted = (etag: string | null): string | undefined =>
  etag === null ? undefined : etag.replace(/^W\//, '').replace(/^"|"$/g, '');
