import type { z } from 'zod';
import type { OPERATIONS } from '../src/operations/all.js';
import type { documents } from '../src/rest/documents.js';

type Operations = typeof OPERATIONS;
export type Documents = typeof documents & {
  [Name in keyof Operations]: ReturnType<Operations[Name]['output']>;
};
/** A document as the server answers it. */
export type Answer<Name extends keyof Documents> = z.core.output<Documents[Name]>;
export type Parameters = Record<string, string | number | boolean | undefined>;

/** An answer that is an error, in the words of the server. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly hint: string | undefined,
  ) {
    super(message);
  }
}

const KEY = 'mempalace-key';

/** Requests wait for it. */
let entered: Promise<void> = Promise.resolve();

/**
 * Exchanges the code of a link for a session, once. The cookie of the session comes with the answer; its key is stored for
 * this origin. What asks later waits until that is done.
 */
export function enter(): void {
  entered = exchange().catch(() => {});
}

async function exchange(): Promise<void> {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  if (code === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  const response = await fetch('/session', { method: 'POST', headers: { authorization: `Code ${code}` } });
  const { key } = await response.json();
  if (response.ok && typeof key === 'string') localStorage.setItem(KEY, key);
}

/** @throws Refused, or TypeError if nobody listens */
export async function get<Name extends keyof Documents>(
  path: string,
  parameters: Parameters = {},
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') query.set(name, String(value));
  const headers = await keyed();
  return answerOf(await fetch(`/api/v1${path}?${query}`, { headers, ...(signal && { signal }) }));
}

/** Times that a change is asked for when the connection breaks: it is made once all the same. */
const TRIES = 3;
const PAUSE_MS = 1_000;

/** Changes something. @throws as `get` */
export async function post<Name extends keyof Documents>(
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer<Name>> {
  const request = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      ...(await keyed()),
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return await answerOf(await fetch(`/api/v1${path}`, request));
    } catch (error) {
      if (error instanceof Refused || tries === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** What shows that a request comes from this page. */
export async function keyed(): Promise<Record<string, string>> {
  await entered;
  return { 'x-mempalace-key': localStorage.getItem(KEY) ?? '' };
}

async function answerOf<Name extends keyof Documents>(response: Response): Promise<Answer<Name>> {
  const answer: unknown = await response.json();
  if (response.ok) return answer as Answer<Name>;
  const { error } = Object(answer);
  const { message = `the server answered ${response.status}`, hint } = Object(error);
  throw new Refused(response.status, message, hint);
}
