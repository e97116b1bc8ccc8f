import { Agent, type Dispatcher, fetch, ProxyAgent, type RequestInit, type Response } from 'undici';
import { UserError } from '../core/errors.js';
import { isLoopback } from '../core/loopback.js';

/** An error that may not occur again at the next try. */
export class PassingError extends UserError {
  /** Milliseconds that the server asks to wait. */
  waitMs = 0;
}

/** Milliseconds until a connection is given up. */
const CONNECT_MS = 15_000;

/** A client for HTTP and HTTPS, which keeps its connections until it is closed. Loading it takes 100 ms. */
export class Http {
  readonly #dispatchers = new Map<string | undefined, Dispatcher>();

  /**
   * @param env the proxies, as for curl
   * @param silenceMs longest wait for the beginning of the answer, and for each next part of it
   */
  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly silenceMs: number,
  ) {}

  /** Does not follow redirects. `reasonOf` explains its errors, also the one for an unusable address of a proxy. */
  async fetch(url: URL, init: RequestInit): Promise<Response> {
    return fetch(url, { ...init, redirect: 'manual', dispatcher: this.#dispatcherFor(url) });
  }

  #dispatcherFor(url: URL): Dispatcher {
    const uri = proxyFor(url, this.env);
    const known = this.#dispatchers.get(uri);
    if (known !== undefined) return known;
    const { silenceMs } = this;
    const timeouts = { headersTimeout: silenceMs, bodyTimeout: silenceMs, connectTimeout: CONNECT_MS };
    const made = uri === undefined ? new Agent(timeouts) : new ProxyAgent({ uri, ...timeouts });
    this.#dispatchers.set(uri, made);
    return made;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
  }
}

/**
 * The proxy for a URL by `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, in small letters or capitals.
 * Requests to this machine's own addresses never use a proxy, since their content must not leave the machine.
 */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): string | undefined {
  const read = (name: string): string => env[name] || env[name.toUpperCase()] || '';
  const proxy = read(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') || read('all_proxy');
  if (proxy === '' || isLoopback(url.hostname)) return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const exempt = read('no_proxy')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, host = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (entryPort !== undefined && entryPort !== port) return false;
      const domain = host.replace(/^\*?\./, '');
      return url.hostname === domain || url.hostname.endsWith(`.${domain}`);
    });
  if (exempt) return undefined;
  return (proxy.includes('://') ? proxy : `http://${proxy}`).replace(/^([a-z]+:\/\/[^/]*).*$/i, '$1');
}

/** Whether a secret can be sent to a URL without being read on the way. */
export function isPrivate(url: URL): boolean {
  return url.protocol === 'https:' || isLoopback(url.hostname);
}

/** Why a request failed, in one line: the library wraps errors of the system, sometimes several at once. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** False for reasons such as a wrong address or a refusal. */
export function mayPass(reason: string): boolean {
  return /ECONNRESET|EPIPE|EAI_AGAIN|ETIMEDOUT|timeout|timed out|other side closed|terminated/i.test(reason);
}

/** Whether a status may change with the next try. */
export function isPassingStatus(status: number): boolean {
  return status === 429 || status >= 500;
}
