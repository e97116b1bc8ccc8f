import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Authenticate, Client, Head } from './authenticate.js';

/** Where a browser hands in the code of a link. */
export const SESSION_PATH = '/session';
/** Contains the key of a session, in every request for data. A page of another origin cannot send it. */
export const KEY_HEADER = 'x-mempalace-key';

const LINK_MS = 5 * 60_000;
/** Sessions and links at most; the oldest give way. */
const MOST = 16;
const SECRET_BYTES = 32;

interface Session {
  cookie: Buffer;
  key: Buffer;
}

/**
 * Accepts the browser that was sent a link. The link contains a code that works once. It is exchanged for a cookie, which no
 * script can read, and a key, which no other origin can read; both are required: browsers send a cookie of 127.0.0.1 to
 * every port. Secrets are stored as hashes, and end with the process.
 */
export class PageSessions {
  /** Of this process: several palaces have pages on one machine. */
  readonly #cookieName = `mempalace-${randomBytes(4).toString('hex')}`;
  readonly #codes: { code: Buffer; untilMs: number; onUse: () => void }[] = [];
  readonly #sessions: Session[] = [];

  /** @param asset answers a request for a file of the page, which contains no data */
  constructor(
    private readonly asset: (head: Head) => Response | undefined,
    private readonly now: () => number = Date.now,
  ) {}

  /** @returns the code for a new link */
  newCode(onUse: () => void): string {
    const code = newSecret();
    keep(this.#codes, { code: hashOf(code), untilMs: this.now() + LINK_MS, onUse });
    return code;
  }

  readonly authenticate: Authenticate = (head) => {
    const { method, path, headers } = head;
    const asset = method === 'GET' || method === 'HEAD' ? this.asset(head) : undefined;
    if (asset !== undefined) return asset;
    if (!isSameOrigin(headers)) return refusal(403, 'foreign_origin');
    if (path === SESSION_PATH && method === 'POST') return this.#exchange(headers);
    return this.#clientOf(headers) ?? refusal(401, 'no_session');
  };

  #exchange(headers: Headers): Response {
    const [, given = ''] = /^Code ([\w-]{1,128})$/.exec(headers.get('authorization') ?? '') ?? [];
    const hash = hashOf(given);
    const index = this.#codes.findIndex(({ code }) => timingSafeEqual(code, hash));
    const [found] = index === -1 ? [] : this.#codes.splice(index, 1);
    if (found === undefined || found.untilMs < this.now()) return refusal(401, 'invalid_code');
    found.onUse();
    const [cookie, key] = [newSecret(), newSecret()];
    keep(this.#sessions, { cookie: hashOf(cookie), key: hashOf(key) });
    const attributes = 'Path=/; HttpOnly; SameSite=Strict';
    return Response.json(
      { key },
      {
        status: 201,
        headers: {
          'set-cookie': `${this.#cookieName}=${cookie}; ${attributes}`,
          'cache-control': 'no-store',
        },
      },
    );
  }

  #clientOf(headers: Headers): Client | undefined {
    const [, cookie = ''] =
      new RegExp(`(?:^|;\\s*)${this.#cookieName}=([\\w-]+)`).exec(headers.get('cookie') ?? '') ?? [];
    const [cookieHash, keyHash] = [hashOf(cookie), hashOf(headers.get(KEY_HEADER) ?? '')];
    let found = false;
    // Both are compared, so that the time says nothing about either.
    for (const { cookie, key } of this.#sessions)
      if ([timingSafeEqual(cookie, cookieHash), timingSafeEqual(key, keyHash)].every(Boolean)) found = true;
    return found ? { name: 'page', readOnly: false } : undefined;
  }
}

/** What a browser says about the page that asks. Programs other than browsers say nothing. */
function isSameOrigin(headers: Headers): boolean {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  return (
    (origin === null || origin === `http://${headers.get('host')}`) &&
    (site ?? 'same-origin') === 'same-origin'
  );
}

function refusal(status: number, error: string): Response {
  return Response.json({ error }, { status, headers: { 'cache-control': 'no-store' } });
}

function keep<T>(all: T[], one: T): void {
  all.push(one);
  if (all.length > MOST) all.shift();
}

const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
