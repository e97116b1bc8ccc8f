import type { Agent, ProxyAgent, RequestInit, Response } from 'undici';
import { isLoopback } from './endpoint-id.js';

export interface HttpOptions {
  /** Proxies are read from it, as by curl. */
  env: NodeJS.ProcessEnv;
  /** Longest silence of the other side, before the answer and within it, in milliseconds. */
  silenceMs: number;
}

/** A client for HTTP and HTTPS; connections are kept until it is closed. */
export interface Http {
  /** Never follows a redirect by itself. Throws what `reasonOf` explains. */
  fetch(url: URL, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Loads the HTTP library (some 100 ms), so only where something is fetched. */
export async function openHttp({ env, silenceMs }: HttpOptions): Promise<Http> {
  const undici = await import('undici');
  const timeouts = { headersTimeout: silenceMs, bodyTimeout: silenceMs, connectTimeout: 15_000 };
  const agents = new Map<string, Agent | ProxyAgent>();
  const agentFor = (url: URL): Agent | ProxyAgent => {
    const uri = proxyFor(url, env) ?? '';
    const agent =
      agents.get(uri) ??
      (uri === '' ? new undici.Agent(timeouts) : new undici.ProxyAgent({ uri, ...timeouts }));
    agents.set(uri, agent);
    return agent;
  };
  return {
    fetch: (url, init) => undici.fetch(url, { ...init, redirect: 'manual', dispatcher: agentFor(url) }),
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

/**
 * The proxy for a URL by `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, in small letters or capitals.
 * This machine's own addresses never go through one: what is sent to them is not to leave it.
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

/** Why a request failed, in one line: the library wraps the system's error, sometimes several at once. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** True for a reason that may be gone with the next try, other than a wrong address or a refusal. */
export function mayPass(reason: string): boolean {
  return /ECONNRESET|EPIPE|EAI_AGAIN|ETIMEDOUT|timeout|timed out|other side closed|terminated/i.test(reason);
}
