import { chmodSync, existsSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { messageOf, UserError } from '../core/errors.js';
import { PRIVATE_FILE } from '../core/modes.js';
import { timerMs } from '../core/timer.js';
import { BROKER_LOCK, type Lock, takeLock } from '../platform/lock.js';
import { makeFolder } from '../platform/make-folder.js';
import { type Claim, claimPalace } from '../platform/writers.js';
import {
  type Build,
  type Hello,
  isNewer,
  lineOf,
  OTHER_SETTINGS,
  type PageLink,
  readFirstLine,
  readHello,
  type Watching,
} from './hello.js';
import { readRecord, removeRecord, writeRecord } from './record.js';

/** Time that a client has for its hello, and that a probed broker has to answer. */
const HELLO_MS = 5_000;
const LONGEST_HELLO = 64 * 1024;
/** Clients at most; each further one is refused. */
const MOST_CLIENTS = 500;
/** Time for the last answers when the broker ends. */
const LAST_ANSWERS_MS = 5_000;
/** A retired broker serves its clients this long. */
const RETIRED_MS = 10 * 60_000;
/** Between two looks at the palace. */
const LOOK_MS = 15_000;

/** Why a broker ended: the palace has another one, it was asked to or idle, or its place belongs to another build. */
export type Ending = 'taken' | 'ended' | 'replaced';

/** The service of one client. */
export interface Session {
  /** Names of the tools that change the palace. */
  writes: string[];
  /** Serves the client until its stream ends or the signal aborts. The open calls are answered then. */
  serve(socket: Socket, signal: AbortSignal): Promise<void>;
}

export interface BrokerOptions {
  /** Folder of the palace; a real path. */
  palace: string;
  socket: string;
  about: Build;
  /** What a client must have in common with this broker, by name. */
  settings: Readonly<Record<string, string>>;
  /** Without clients it ends after this time, milliseconds; `Infinity`: never. */
  idleMs: number;
  /** Serves other machines, too. Such a broker does not make room for a newer build: its user ends it. */
  http?: { listen(): Promise<string>; onReady(url: string): void; close(): Promise<void> } | undefined;
  /** Files what changes, as long as this process is the palace's broker. */
  watcher?: { begin(): Promise<void>; end(): Promise<void>; readonly state: Watching } | undefined;
  /** @throws UserError that refuses the client */
  open(hello: Hello): Session;
  /**
   * Makes a link to the page, which opens its port the first time; port 0: any free one. The signal closes it. `closed`, if it
   * was opened now, is fulfilled when nobody uses it any more.
   *
   * @throws UserError `failed`
   */
  openPage(port: number, signal: AbortSignal): Promise<{ link: PageLink; closed?: Promise<void> }>;
  /** Whether the palace is still one for this build. */
  isCurrent(): boolean;
  onEvent(text: string): void;
}

/**
 * The one process that owns a palace's model. It listens on a socket of its user, and ends by itself. The truth about a
 * broker is its lock and its socket, never a process id.
 */
export class Broker {
  readonly #server: Server = createServer({ allowHalfOpen: true });
  readonly #sockets = new Set<Socket>();
  /** Ends the sessions in order. */
  readonly #ending = new AbortController();
  readonly #startedMs = Date.now();
  #clients = 0;
  #retired = false;
  #ended: Ending = 'ended';
  #idle: NodeJS.Timeout | undefined;
  #settle: () => void = () => {};
  readonly #settled = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  private constructor(
    private readonly options: BrokerOptions,
    private readonly lock: Lock,
    private readonly claim: Claim,
  ) {}

  /**
   * Becomes the palace's broker and serves until it ends: without clients, on the signal, or because a newer one came.
   *
   * @returns `taken` at once if the palace has another broker
   * @throws UserError `failed` if the socket or the palace's folder cannot be used; LockedElsewhere while another machine
   *   writes the palace
   */
  static async run(options: BrokerOptions, signal: AbortSignal): Promise<Ending> {
    const { palace, socket } = options;
    let lock: Lock;
    try {
      lock = await takeLock(join(palace, BROKER_LOCK), 'mempalace broker', 0);
    } catch (error) {
      if (error instanceof UserError && error.code === 'locked') return 'taken';
      throw error;
    }
    let claim: Claim;
    try {
      claim = await claimPalace(palace, { program: 'the broker', signal });
    } catch (error) {
      lock.release();
      throw error;
    }
    const broker = new Broker(options, lock, claim);
    try {
      const http = await options.http?.listen();
      try {
        await broker.#listen(socket, http);
        if (http !== undefined) options.http?.onReady(http);
        options.watcher?.begin().catch((error: unknown) => options.onEvent(messageOf(error)));
        await broker.#serve(signal);
      } finally {
        await options.http?.close();
      }
      return broker.#ended;
    } finally {
      // Also after a failure between listening and serving.
      broker.#server.close();
      for (const open of broker.#sockets) open.destroy();
      await options.watcher?.end();
      claim.release();
      lock.release();
    }
  }

  async #listen(socket: string, http: string | undefined): Promise<void> {
    makeFolder(dirname(socket));
    chmodSync(dirname(socket), 0o700);
    // The lock is ours: a socket at this path was left by a killed broker.
    rmSync(socket, { force: true });
    const mask = process.umask(0o077);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen(socket, resolve);
      });
    } catch (error) {
      throw new UserError('failed', `the broker cannot listen on ${socket}: ${messageOf(error)}`, {
        hint: 'MEMPALACE_BROKER=off does without a broker',
        cause: error,
      });
    } finally {
      process.umask(mask);
    }
    chmodSync(socket, PRIVATE_FILE);
    const { about, palace } = this.options;
    writeRecord(palace, { ...about, pid: process.pid, socket, startedMs: this.#startedMs, http });
    this.options.onEvent(`listens on ${socket}`);
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const { options } = this;
    this.#server.on('connection', (socket) => this.#accept(socket));
    this.#server.on('error', (error) => options.onEvent(messageOf(error)));
    const looking = setInterval(() => this.#endIfOrphaned(), LOOK_MS);
    const stop = (): void => this.#end('a signal');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    this.#endIfIdle();
    await this.#settled;
    signal.removeEventListener('abort', stop);
    clearInterval(looking);
    clearTimeout(this.#idle);
  }

  /**
   * Ends if the palace was removed, another machine or build has changed it, or nobody can connect: a logout removes the
   * folder of the socket.
   */
  #endIfOrphaned(): void {
    const { palace, socket, isCurrent } = this.options;
    const isGone = !this.#retired && (readRecord(palace)?.pid !== process.pid || !existsSync(socket));
    if (isGone || !this.claim.isHeld() || !isCurrent())
      this.#end('the palace or the socket was removed, replaced or upgraded', 'replaced');
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const late = setTimeout(() => socket.destroy(), HELLO_MS);
    socket.once('close', () => clearTimeout(late));
    readFirstLine(socket, LONGEST_HELLO, (line) => {
      clearTimeout(late);
      if (line === undefined) socket.destroy();
      else void this.#answer(socket, readHello(line));
    });
  }

  async #answer(socket: Socket, hello: Hello | undefined): Promise<void> {
    try {
      if (hello === undefined) throw new UserError('usage', 'this is not a client of mempalace');
      if (hello.kind === 'mcp' || hello.kind === 'service') await this.#session(socket, hello);
      else if (hello.kind === 'page') socket.end(this.#reply([], { page: await this.#page(hello) }));
      else {
        if (hello.kind === 'retire') this.#retire(hello);
        // Its paths may be many, and only people read them.
        const watching = hello.kind === 'status' ? this.options.watcher?.state : undefined;
        socket.end(this.#reply([], { watching }));
        if (hello.kind === 'stop') this.#end('a request');
      }
    } catch (error) {
      const reason = messageOf(error);
      this.options.onEvent(`refused: ${reason}`);
      socket.end(lineOf({ ok: false, reason }));
    }
  }

  async #session(socket: Socket, hello: Hello): Promise<void> {
    // Without an answer, the client looks for the next broker.
    if (this.#ending.signal.aborted) return void socket.destroy();
    const { open } = this.options;
    this.#requireSettings(hello);
    if (this.#clients >= MOST_CLIENTS) throw new UserError('failed', `it has ${MOST_CLIENTS} clients`);
    const { writes, serve } = open(hello);
    this.#clients += 1;
    clearTimeout(this.#idle);
    try {
      socket.write(this.#reply(writes));
      await serve(socket, this.#ending.signal);
    } finally {
      // The client closes after it has received its last answers. Closing first, with unread bytes, would lose them.
      socket.end().resume();
      if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
      this.#clients -= 1;
      this.#endIfIdle();
    }
  }

  #requireSettings({ settings }: Hello): void {
    if (settings === undefined) return;
    const own = Object.entries(this.options.settings);
    const other = own.filter(([name, value]) => settings[name] !== value).map(([name]) => name);
    if (other.length > 0) throw new UserError('config', `${OTHER_SETTINGS}: ${other.join(', ')}`);
  }

  /** The open page counts as a client. */
  async #page(hello: Hello): Promise<PageLink> {
    this.#requireSettings(hello);
    const { link, closed } = await this.options.openPage(hello.port ?? 0, this.#ending.signal);
    if (closed !== undefined) {
      this.#clients += 1;
      clearTimeout(this.#idle);
      void closed.then(() => {
        this.#clients -= 1;
        this.#endIfIdle();
      });
    }
    return link;
  }

  #reply(writes: string[], more: { watching?: Watching | undefined; page?: PageLink } = {}): string {
    const { about } = this.options;
    const [clients, startedMs] = [this.#clients, this.#startedMs];
    return lineOf({
      ok: true,
      ...about,
      pid: process.pid,
      clients,
      startedMs,
      writes,
      ...more,
    });
  }

  /**
   * Makes room for a newer build, or for a service if an agent has started this one. It goes on serving its
   * clients, whose writes take their turn as those of any other program.
   */
  #retire(next: Hello): void {
    const { about, http, idleMs, onEvent } = this.options;
    if (http !== undefined)
      throw new UserError('usage', 'mempalace serve is running; stop or restart it yourself');
    const isService = next.stays === true && Number.isFinite(idleMs) && !isNewer(about, next);
    if (!isService && !isNewer(next, about))
      throw new UserError('usage', 'only a newer build or a service takes the place of a broker');
    if (this.#retired) return;
    this.#retired = true;
    onEvent(`makes room for ${isService ? 'the service' : next.version}`);
    this.#release();
    setTimeout(() => this.#end('it was retired', 'replaced'), RETIRED_MS).unref();
    this.#endIfIdle();
  }

  /** Gives up socket, record and lock. */
  #release(): void {
    const { palace, socket } = this.options;
    void this.options.watcher?.end();
    // Closing the server removes the socket.
    this.#server.close();
    if (readRecord(palace)?.socket === socket) removeRecord(palace);
    this.lock.release();
  }

  /** Ends now or after the idle time, if it has no clients. */
  #endIfIdle(): void {
    if (this.#clients > 0) return;
    clearTimeout(this.#idle);
    if (this.#ending.signal.aborted) this.#settle();
    else if (this.#retired) this.#end('its last client left', 'replaced');
    else if (Number.isFinite(this.options.idleMs))
      this.#idle = setTimeout(() => this.#end('it has no clients'), timerMs(this.options.idleMs));
  }

  #end(reason: string, ended: Ending = 'ended'): void {
    if (this.#ending.signal.aborted) return;
    this.#ended = ended;
    this.options.onEvent(`ends: ${reason}`);
    this.#ending.abort();
    if (!this.#retired) this.#release();
    setTimeout(() => this.#settle(), LAST_ANSWERS_MS).unref();
    this.#endIfIdle();
  }
}
