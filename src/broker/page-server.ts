import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../platform/atomic-write.js';
import type { Client, Head } from './authenticate.js';
import type { PageLink } from './hello.js';
import { type Checks, HttpListener } from './http.js';
import { PageSessions } from './page-sessions.js';

/** Other machines cannot connect. */
const HOST = '127.0.0.1';

export interface PageOptions {
  /** For the files of links; only its user can read it. */
  folder: string;
  /** Without a request it closes after this time, milliseconds. */
  idleMs: number;
  checks: Checks;
  asset(head: Head): Response | undefined;
  answer(request: Request, client: Client, ending: AbortSignal): Promise<Response>;
  onEvent(text: string): void;
}

interface OpenPage {
  url: string;
  sessions: PageSessions;
  closed: Promise<void>;
  end(): void;
}

/** The page of a palace, in a browser of this machine. Its port is open from the first link until nobody uses it. */
export class PageServer {
  #open: Promise<OpenPage> | undefined;
  /** Of links that nobody has used yet. */
  readonly #files = new Set<string>();
  #idle: NodeJS.Timeout | undefined;

  constructor(private readonly options: PageOptions) {}

  /** As `BrokerOptions.openPage`. */
  async link(port: number, signal: AbortSignal): Promise<{ link: PageLink; closed?: Promise<void> }> {
    const isFirst = this.#open === undefined;
    this.#open ??= this.#listen(port, signal);
    const { url, sessions, closed } = await this.#open.catch((error) => {
      this.#open = undefined;
      throw error;
    });
    this.#restartIdleTime();
    const file = join(this.options.folder, `page-${randomBytes(8).toString('hex')}.html`);
    const code = sessions.newCode(() => this.#remove(file));
    const link = { url: `${url}/#code=${code}`, file };
    replaceFile(file, leadingTo(link.url));
    this.#files.add(file);
    return isFirst ? { link, closed } : { link };
  }

  async #listen(port: number, signal: AbortSignal): Promise<OpenPage> {
    const { asset, answer, checks, onEvent } = this.options;
    const sessions = new PageSessions(asset);
    const listener = new HttpListener(
      {
        host: HOST,
        port,
        names: [],
        authenticate: sessions.authenticate,
        answer: (request, client, ending) => {
          this.#restartIdleTime();
          return answer(request, client, ending);
        },
        onEvent,
      },
      checks,
    );
    const url = await listener.listen();
    const ending = new AbortController();
    const closed = new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(this.#idle);
        this.#open = undefined;
        for (const file of this.#files) this.#remove(file);
        void listener.close().then(resolve);
      };
      AbortSignal.any([signal, ending.signal]).addEventListener('abort', end, { once: true });
    });
    return { url, sessions, closed, end: () => ending.abort() };
  }

  #restartIdleTime(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.options.onEvent('the page closes: nobody uses it');
      void this.#open?.then(({ end }) => end());
    }, this.options.idleMs).unref();
  }

  #remove(file: string): void {
    rmSync(file, { force: true });
    this.#files.delete(file);
  }
}

/** The address is of our making: it contains nothing that HTML would read otherwise. */
function leadingTo(url: string): string {
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${url}"><title>mempalace</title><a href="${url}">mempalace</a>\n`;
}
