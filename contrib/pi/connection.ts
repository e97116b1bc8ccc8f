import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Settings } from './settings.ts';

/** The revision that both lines of pi know; the server answers with the newest that it shares. */
const PROTOCOL = '2025-06-18';
/** Of a server that was asked to end. */
const GRACE_MS = 1_000;
/** For the last output of a server that ended. */
const OUTPUT_MS = 200;
const MOST_STDERR = 2_000;

export interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: unknown;
  annotations?: { readOnlyHint?: boolean };
}

/** The result of a tool. */
export interface Answer {
  content: { type: string; text?: string }[];
  isError?: boolean;
}

/** The server's process ended before it answered. */
export class Ended extends Error {}

interface Watcher {
  debug(line: string): void;
  answered(): void;
  ended(): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Message {
  id?: number | string;
  method?: string;
  result?: unknown;
  error?: { message?: string };
}

/** One process of `mempalace-mcp`, and the requests that it has not answered. Never used again once it is not open. */
export class Connection {
  /** False as soon as it ended, or was told to. */
  open = true;
  tools: readonly ListedTool[] = [];
  instructions = '';
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #watcher: Watcher;
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<void>;
  #lastId = 0;
  #unread = '';
  #stderr = '';

  constructor({ server, agent }: Pick<Settings, 'server' | 'agent'>, cwd: string, watcher: Watcher) {
    this.#watcher = watcher;
    this.#child = spawn(server, ['--agent', agent], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    const { stdin, stdout, stderr } = this.#child;
    stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MOST_STDERR);
      watcher.debug(text.trimEnd());
    });
    stdin.on('error', () => {});
    this.#exited = new Promise((resolve) => {
      this.#child.on('error', (error) => {
        this.#lose(`${server} cannot be started: ${error.message}`);
        resolve();
      });
      const gone = () => {
        const last = this.#stderr.trim().split('\n').at(-1) ?? '';
        const { exitCode, signalCode } = this.#child;
        this.#lose(
          `mempalace-mcp ended (${signalCode ?? `exit code ${exitCode}`})${last === '' ? '' : `: ${last}`}`,
        );
        resolve();
      };
      // `close` comes after the last of its output, and late if a program that it started keeps the pipe.
      this.#child.on('close', gone);
      this.#child.on('exit', () => setTimeout(gone, OUTPUT_MS));
    });
  }

  async initialize(timeoutMs: number): Promise<void> {
    const hello = {
      protocolVersion: PROTOCOL,
      capabilities: {},
      clientInfo: { name: 'pi-mempalace', version: '1' },
    };
    const { instructions } = (await this.request('initialize', hello, { timeoutMs })) as {
      instructions?: string;
    };
    this.instructions = instructions ?? '';
    this.#send({ method: 'notifications/initialized' });
    const { tools } = (await this.request('tools/list', {}, { timeoutMs })) as { tools: ListedTool[] };
    this.tools = tools;
  }

  /**
   * @param limits a request that takes longer ends the server, which answers nothing else either; an aborted one ends at
   *   once, and the server is told
   */
  request<T>(
    method: string,
    params: unknown,
    { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<T> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<T>((resolve, reject) => {
      const timer =
        timeoutMs === 0 ? undefined : setTimeout(() => this.#stall(id, method, timeoutMs), timeoutMs);
      const abort = () => {
        this.#settle(id)?.reject(new Error('cancelled'));
        this.#send({
          method: 'notifications/cancelled',
          params: { requestId: id, reason: 'cancelled by the user' },
        });
      };
      const over = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      this.#pending.set(id, {
        resolve: (result) => {
          over();
          resolve(result as T);
        },
        reject: (error) => {
          over();
          reject(error);
        },
      });
      if (!this.open) this.#settle(id)?.reject(new Ended('mempalace-mcp has ended'));
      else if (signal?.aborted === true) this.#settle(id)?.reject(new Error('cancelled'));
      else {
        signal?.addEventListener('abort', abort, { once: true });
        this.#send({ id, method, params });
      }
    });
  }

  /** Lets the server end in order. */
  async end(): Promise<void> {
    this.open = false;
    this.#child.stdin.end();
    if (await this.#endsWithin(GRACE_MS)) return;
    this.kill();
    await this.#endsWithin(2 * GRACE_MS);
  }

  /** SIGTERM, then SIGKILL. What was asked is answered with an error. */
  kill(reason = 'mempalace-mcp was ended'): void {
    this.#lose(reason);
    this.#child.kill('SIGTERM');
    void this.#endsWithin(GRACE_MS).then((gone) => gone || this.#child.kill('SIGKILL'));
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const gone = this.#exited.then(() => true);
    return Promise.race([gone, late]).finally(() => clearTimeout(timer));
  }

  #stall(id: number, method: string, timeoutMs: number): void {
    const after = `${method} was not answered within ${timeoutMs} ms`;
    this.#settle(id)?.reject(new Error(`mempalace-mcp: ${after}; it is started again at the next call`));
    this.kill(`mempalace-mcp was ended, since ${after}`);
  }

  #lose(reason: string): void {
    if (this.open) this.#watcher.ended();
    this.open = false;
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new Ended(reason));
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #send(message: object): void {
    if (this.#child.stdin.writable)
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #read(text: string): void {
    const lines = (this.#unread + text).split('\n');
    this.#unread = lines.pop() ?? '';
    for (const line of lines) {
      try {
        if (line.trim() !== '') this.#take(JSON.parse(line) as Message);
      } catch {
        this.#watcher.debug(`not JSON from mempalace-mcp: ${line.slice(0, 200)}`);
      }
    }
  }

  #take({ id, method, result, error }: Message): void {
    if (id === undefined) return;
    if (method !== undefined) {
      // A request of the server, which needs none of what it could ask for.
      const reply =
        method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'not supported' } };
      this.#send({ id, ...reply });
      return;
    }
    this.#watcher.answered();
    const pending = typeof id === 'number' ? this.#settle(id) : undefined;
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(error.message ?? 'an error without a message'));
  }
}
