import type { Response } from 'undici';
import { UserError } from '../../core/errors.js';
import { Http, isPassingStatus, isPrivate, mayPass, PassingError, reasonOf } from '../../platform/http.js';
import type { LocalModel } from '../index.js';

export const HUGGING_FACE = 'https://huggingface.co';
const SILENCE_MS = 60_000;
const REDIRECTS = 5;

/** The answer to a request for a file, or for the rest of one. */
export interface HubAnswer {
  /** Offset of `body` in the file. */
  start: number;
  /** Size of the whole file, if the server says it. */
  total: number | undefined;
  /** Absent when the file is already complete. */
  body: AsyncIterable<Uint8Array> | undefined;
  /** In hexadecimal digits: SHA-256 for large files; for small ones the SHA-1 of git, which has 40 digits. */
  hash: string | undefined;
}

/**
 * Files of one model from a server with the URLs of the Hugging Face hub:
 * `<endpoint>/<repository>/resolve/<revision>/<path>`.
 *
 * `HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE` and the proxy variables have the same meaning as for the hub's own tools.
 */
export class Hub {
  readonly #endpoint: URL;
  readonly #http: Http;
  readonly #token: string | undefined;

  /** @throws UserError `usage` for a malformed `HF_ENDPOINT`, `failed` under `HF_HUB_OFFLINE` */
  constructor(
    private readonly model: LocalModel,
    env: NodeJS.ProcessEnv,
  ) {
    if (/^(?:1|true|yes|on)$/i.test(env.HF_HUB_OFFLINE ?? '')) {
      throw new UserError('failed', `HF_HUB_OFFLINE is set: ${model.id} is not downloaded`, {
        hint: fromFolder(model),
      });
    }
    const address = env.HF_ENDPOINT || HUGGING_FACE;
    if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
      throw new UserError('usage', `HF_ENDPOINT is not a URL: ${JSON.stringify(address)}`, {
        hint: `unset it, or set it to a mirror such as ${HUGGING_FACE}`,
      });
    }
    this.#endpoint = new URL(address);
    this.#http = new Http(env, SILENCE_MS);
    this.#token = env.HF_TOKEN || undefined;
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** Requests a file from byte `from` on. @throws UserError with the cure; a PassingError if another try may succeed */
  async get(name: string, from: number, signal?: AbortSignal): Promise<HubAnswer> {
    const path = [this.model.repository, 'resolve', this.model.revision, name].join('/');
    let url = new URL(`${this.#endpoint.pathname.replace(/\/+$/, '')}/${path}`, this.#endpoint);
    let hash: string | undefined;
    let size: number | undefined;
    for (let hop = 0; hop <= REDIRECTS; hop++) {
      const { status, headers, body } = await this.#request(name, url, from, signal);
      // Only the hub's own tags are hashes of the content.
      if (headers.has('x-repo-commit')) {
        hash ??= hashIn(headers.get('x-linked-etag') ?? headers.get('etag'));
        size ??= numberIn(headers.get('x-linked-size'));
      }
      const range = headers.get('content-range') ?? '';
      const [, start, whole] = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(range) ?? [];
      if (status === 200 || (status === 206 && Number(start) === from)) {
        if (body === null || headers.get('content-type')?.startsWith('text/html') === true)
          throw this.#error(name, `${url.host} sent a web page instead (a login page of the network?)`);
        const encoded = headers.get('content-encoding') !== null;
        const length = encoded ? undefined : numberIn(headers.get('content-length'));
        const total = size ?? (status === 206 ? numberIn(whole) : length);
        return { start: status === 206 ? from : 0, total, body, hash };
      }
      await body?.cancel();
      const location = headers.get('location');
      if (status >= 300 && status < 400 && location !== null) {
        url = this.#redirected(name, url, location);
        continue;
      }
      if (status !== 416 || from === 0) throw this.#refused(name, url, status);
      const total = numberIn(whole) ?? size;
      if (total === from) return { start: from, total, body: undefined, hash };
      // The existing part is too long.
      return this.get(name, 0, signal);
    }
    throw this.#error(name, `${this.#endpoint.host} redirects in a circle`);
  }

  /** The error for a connection that ended before the file was complete. */
  broken(name: string, reason: string): PassingError {
    const message = `the connection broke while ${name} of ${this.model.id} was downloaded: ${reason}`;
    return new PassingError('failed', message, {
      hint: 'run the command again: the download continues from there',
    });
  }

  async #request(name: string, url: URL, from: number, signal?: AbortSignal): Promise<Response> {
    // The token is for the endpoint. Storage to which it redirects does not need it, and must not see it.
    const trusted = url.origin === this.#endpoint.origin && isPrivate(url);
    const headers = {
      'accept-encoding': 'identity',
      'user-agent': 'mempalace-toolkit',
      ...(from > 0 ? { range: `bytes=${from}-` } : {}),
      ...(this.#token !== undefined && trusted ? { authorization: `Bearer ${this.#token}` } : {}),
    };
    try {
      return await this.#http.fetch(url, { headers, signal: signal ?? null });
    } catch (error) {
      signal?.throwIfAborted();
      const reason = reasonOf(error);
      throw this.#error(name, `${url.host} cannot be reached (${reason})`, mayPass(reason));
    }
  }

  #redirected(name: string, from: URL, location: string): URL {
    const url = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
    const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && from.protocol === 'http:');
    if (url !== undefined && secure) return url;
    throw this.#error(name, `${from.host} redirects to an unusable address (${location.slice(0, 100)})`);
  }

  #refused(name: string, { host }: URL, status: number): UserError {
    if (status !== 404 && status !== 401 && status !== 403)
      return this.#error(name, `${host} answered ${status}`, isPassingStatus(status));
    const missing = status === 404;
    const what = missing ? 'does not have it (404)' : `refuses it (${status})`;
    const { message, hint } = this.#error(name, `${host} ${what}`);
    const token = missing ? '' : `set HF_TOKEN to a token that may read ${this.model.repository}; `;
    return new UserError(missing ? 'not-found' : 'failed', message, { hint: token + hint });
  }

  #error(name: string, reason: string, passing = false): UserError {
    const Kind = passing ? PassingError : UserError;
    return new Kind('failed', `${name} of ${this.model.id} was not downloaded: ${reason}`, {
      hint: `check the network, HTTPS_PROXY and HF_ENDPOINT; or ${fromFolder(this.model)}`,
    });
  }
}

/** How a machine without network gets a model. */
function fromFolder(model: LocalModel): string {
  const names = model.files.map(({ name }) => name).join(', ');
  return `copy ${names} of ${model.repository} at ${model.revision.slice(0, 12)} to this machine and run mempalace model pull ${model.id} --from <folder>`;
}

const numberIn = (text: string | null | undefined): number | undefined =>
  /^\d+$/.test(text ?? '') ? Number(text) : undefined;
const hashIn = (etag: string | null): string | undefined =>
  /^(?:W\/)?"?([0-9a-f]{64}|[0-9a-f]{40})"?$/.exec(etag ?? '')?.[1];
