import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf, UserError } from '../core/errors.js';
import type { Authenticate, Client } from './authenticate.js';

export interface HttpLimits {
  /** Time for the headers of a request, milliseconds. */
  headersMs: number;
  /** Time for a whole request. */
  requestMs: number;
  /** Connections at most; each further one is closed. */
  connections: number;
  /** Calls at the same time; each further one is told to come again. */
  calls: number;
  bodyBytes: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  connections: 256,
  calls: 64,
  bodyBytes: 4 * 1024 * 1024,
};

/** What anything here takes; `fetch` knows no request with TRACE. */
const METHODS = ['GET', 'HEAD', 'POST'];
/** A connection without traffic is closed after this time. It is longer than any call. */
const SILENT_MS = 120_000;
/** Node looks for late requests this often, at most. */
const LOOK_MS = 1_000;
/** Time for the last answers when the server ends. */
const LAST_ANSWERS_MS = 5_000;
/** Refused requests are logged once in this time, with their number. */
const LOG_MS = 60_000;

export interface HttpOptions {
  host: string;
  /** 0: any that is free. */
  port: number;
  /** Names and addresses that a client may use for this server, besides `localhost`: those of `Host` and `Origin`. */
  names: readonly string[];
  limits?: Partial<HttpLimits>;
  authenticate: Authenticate;
  /** @param ending aborts when the server ends: an answer that goes on has to end, too */
  answer(request: Request, client: Client, ending: AbortSignal): Promise<Response>;
  onEvent(text: string): void;
}

/** The SDK's checks, which are loaded with the server. */
export type Checks = Pick<
  typeof import('@modelcontextprotocol/server'),
  | 'hostHeaderValidationResponse'
  | 'localhostAllowedHostnames'
  | 'localhostAllowedOrigins'
  | 'originValidationResponse'
>;

/** A client that still sends would not read the answer if the connection ended at once: it has this time to end. */
const DRAIN_MS = 1_000;

function drained(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, DRAIN_MS);
    for (const event of ['end', 'close', 'error'] as const)
      incoming.once(event, () => {
        clearTimeout(timer);
        resolve();
      });
  });
}

/**
 * The palace over HTTP. Every request is checked in this order, before its body is read: Host, Origin, method, authentication, size.
 * No answer allows a page of another origin to read it (CORS).
 */
export class HttpListener {
  readonly #server: Server;
  readonly #limits: HttpLimits;
  readonly #ending = new AbortController();
  #calls = 0;
  #refused = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: HttpOptions,
    private readonly checks: Checks,
  ) {
    this.#limits = { ...HTTP_LIMITS, ...options.limits };
    const { headersMs, requestMs, connections } = this.#limits;
    this.#server = createServer(
      {
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        connectionsCheckingInterval: Math.min(LOOK_MS, headersMs),
      },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.maxConnections = connections;
    this.#server.setTimeout(SILENT_MS);
    // Node's limit for headers begins with their first byte.
    this.#server.on('connection', (socket) => socket.setTimeout(headersMs));
    this.#server.on('request', ({ socket }) => socket.setTimeout(SILENT_MS));
  }

  /** @returns its address @throws UserError `failed` */
  async listen(): Promise<string> {
    const { host, port, onEvent } = this.options;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen(port, host, resolve);
      });
    } catch (error) {
      throw new UserError('failed', `cannot listen on ${host}, port ${port}: ${messageOf(error)}`, {
        hint: 'choose another --port; --host takes an address of this machine',
        cause: error,
      });
    }
    this.#server.on('error', (error) => onEvent(messageOf(error)));
    const { port: bound } = this.#server.address() as AddressInfo;
    const url = `http://${bracketed(host)}:${bound}`;
    onEvent(`listens on ${url}`);
    return url;
  }

  /** The open calls are answered, for a few seconds at most. */
  async close(): Promise<void> {
    this.#ending.abort();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    const late = setTimeout(() => this.#server.closeAllConnections(), LAST_ANSWERS_MS);
    await closed;
    clearTimeout(late);
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    incoming.on('error', () => outgoing.destroy());
    try {
      const response = await this.#answer(incoming, gone.signal);
      if (!incoming.readableEnded) {
        // The rest of a refused request is not kept, and the connection ends.
        outgoing.setHeader('connection', 'close');
        if (!incoming.readableFlowing) incoming.resume();
        await drained(incoming);
      }
      outgoing.setHeader('cache-control', 'no-store');
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body === null) outgoing.end();
      else await pipeline(Readable.fromWeb(response.body), outgoing);
    } catch (error) {
      if (!gone.signal.aborted) this.options.onEvent(`http: ${messageOf(error)}`);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500, { connection: 'close' }).end();
    }
  }

  async #answer(incoming: IncomingMessage, signal: AbortSignal): Promise<Response> {
    const { checks, options } = this;
    const { method = 'GET' } = incoming;
    const headers = headersOf(incoming.headers);
    const url = urlOf(incoming);
    if (url === undefined) return this.#refuse(incoming, new Response(null, { status: 400 }));
    const head = new Request(url, { headers });
    const names = options.names.map(bracketed);
    const foreign =
      checks.hostHeaderValidationResponse(head, [...checks.localhostAllowedHostnames(), ...names]) ??
      checks.originValidationResponse(head, [...checks.localhostAllowedOrigins(), ...names]);
    if (foreign !== undefined) return this.#refuse(incoming, foreign);
    if (!METHODS.includes(method))
      return Response.json(
        { error: 'method_not_allowed' },
        { status: 405, headers: { allow: METHODS.join(', ') } },
      );
    const client = options.authenticate({ method, path: url.pathname, headers });
    if (client instanceof Response) return client.status < 400 ? client : this.#refuse(incoming, client);
    const { bodyBytes, calls } = this.#limits;
    if (Number(headers.get('content-length') ?? 0) > bodyBytes)
      return Response.json({ error: 'too_large' }, { status: 413 });
    if (this.#calls >= calls)
      return Response.json({ error: 'busy' }, { status: 503, headers: { 'retry-after': '1' } });
    this.#calls += 1;
    try {
      const hasBody = method !== 'GET' && method !== 'HEAD';
      const request = new Request(url, {
        method,
        headers,
        signal,
        ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
      });
      return await options.answer(request, client, this.#ending.signal);
    } finally {
      this.#calls -= 1;
    }
  }

  /** Logged without what the client sent, which may contain a token. */
  #refuse({ socket }: IncomingMessage, response: Response): Response {
    this.#refused += 1;
    const now = performance.now();
    if (now - this.#loggedMs > LOG_MS) {
      const { onEvent } = this.options;
      onEvent(`http: refused ${this.#refused} (now ${response.status}, from ${socket.remoteAddress})`);
      this.#loggedMs = now;
      this.#refused = 0;
    }
    return response;
  }
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** As the client addresses it; the name of the host is not part of it. @returns undefined for what is not a path */
function urlOf({ url = '' }: IncomingMessage): URL | undefined {
  return url.startsWith('/') ? new URL(`http://localhost${url}`) : undefined;
}

function headersOf(headers: IncomingMessage['headers']): Headers {
  const all = new Headers();
  for (const [name, value = []] of Object.entries(headers))
    for (const each of [value].flat()) all.append(name, each);
  return all;
}
