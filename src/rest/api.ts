import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Address, Answered } from '../adapters/rest.js';
import { UserError } from '../core/errors.js';
import { issuesText } from '../core/issues.js';
import { isRecord } from '../core/json.js';
import { jsonText } from '../core/outside.js';
import type { ServiceCall } from '../service/contract/index.js';
import { OutsideWing } from '../service/contract/outside.js';
import { ActionRunner } from './action-runner.js';
import { ACTIONS, type Asked, ROUTES } from './addresses.js';
import type { Document } from './documents.js';
import { type Client, type RestHost, serviceFor } from './host.js';
import { openApi } from './openapi.js';
import { Refusal, withDeadline } from './request.js';

/** Addresses of this version begin with it. */
export const ROOT = '/api/v1';
const EVENTS = `${ROOT}/events`;
/** Texts of a palace stay out of the caches of browsers: what is forgotten would survive there. */
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

const FORBIDDEN = 403;
/** HTTP status per code of an error. */
const STATUS: Readonly<Record<string, number>> = {
  usage: 400,
  'not-found': 404,
  'no-such-name': 404,
  locked: 409,
  changed: 409,
  interrupted: 503,
};

/**
 * Answers requests below `ROOT` with the documents of commands. The caller has checked who asks.
 *
 * @returns a function that never rejects
 */
export function restApi(
  host: RestHost,
): (request: Request, client: Client, ending: AbortSignal) => Promise<Response> {
  const routes = new Map(ROUTES.map((route) => [ROOT + route.path, route]));
  const actions = new Map(ACTIONS.map((action) => [ROOT + action.path, action]));
  const runner = new ActionRunner(host);
  let description: string | undefined;
  return async (request, client, ending) => {
    const { pathname, searchParams } = new URL(request.url);
    try {
      const isReading = request.method === 'GET' || request.method === 'HEAD';
      if (isReading && pathname === `${ROOT}/openapi.json`) {
        description ??= jsonText(openApi());
        return whole(description, request);
      }
      if (isReading && pathname === EVENTS) return await events(request, client, host, runner, ending);
      const [route, action] = [routes.get(pathname), actions.get(pathname)];
      if (isReading && route !== undefined)
        return await read(route, searchParams, request, client, { ...host, feederRuns: runner.feederRuns });
      if (request.method === 'POST' && action !== undefined)
        return whole(jsonText(await runner.answer(action, request, client)), request);
      if (route === undefined && action === undefined && pathname !== EVENTS)
        throw new UserError('not-found', `there is no ${pathname}`, {
          hint: `${ROOT}/openapi.json describes all addresses`,
        });
      const allow = action === undefined ? 'GET, HEAD' : 'POST';
      return failed(host.problem(new UserError('usage', `only ${allow} is answered`)), 405, { allow });
    } catch (error) {
      const problem = host.problem(error);
      const status = error instanceof Refusal ? error.status : STATUS[problem.error.code];
      return failed(problem, error instanceof OutsideWing ? FORBIDDEN : status);
    }
  };
}

async function events(
  { method }: Request,
  client: Client,
  host: RestHost,
  { feederRuns }: ActionRunner,
  ending: AbortSignal,
): Promise<Response> {
  serviceFor(client, host, { path: '/events' });
  const { live, machine } = host;
  if (live.isFull) throw new UserError('interrupted', 'there are too many streams of events');
  if (method === 'HEAD')
    return new Response(null, { headers: { ...HEADERS, 'content-type': 'text/event-stream' } });
  if (machine === undefined) return live.open([], ending);
  const connections = { event: 'connections' as const, data: { agents: machine.connections() } };
  return live.open([connections, ...feederRuns.state], ending);
}

async function read(
  route: Address<Asked>,
  given: URLSearchParams,
  request: Request,
  client: Client,
  host: Omit<Asked, 'call'>,
): Promise<Response> {
  const service = serviceFor(client, host, route);
  const query = queryOf(route, given);
  const answer = await withDeadline(request.signal, (signal) => {
    const call: ServiceCall = { signal, agent: client.name, through: `rest: ${route.path}`, waitMs: 0 };
    return route.answer(query, { ...host, service, call });
  });
  return isStream(answer)
    ? streamed(answer, request)
    : whole(jsonText(answer), request, pages(answer, request));
}

/** Whether a parameter may be given more than once. */
function isList({ shape }: Address<Asked>['takes'], name: string): boolean {
  const schema = shape[name] as z.core.$ZodTypes | undefined;
  const { def } = schema?._zod ?? {};
  return def?.type === 'optional' && (def.innerType as z.core.$ZodTypes)._zod.def.type === 'array';
}

/** @throws UserError `usage` that lists all errors */
function queryOf(
  { path, takes: query, fromTexts }: Address<Asked>,
  given: URLSearchParams,
): Record<string, unknown> {
  const takes = Object.keys(query.shape).join(', ') || 'no parameters';
  const names = [...given.keys()];
  const twice = names.find((name, index) => names.indexOf(name) < index && !isList(query, name));
  if (twice !== undefined)
    throw new UserError('usage', `${twice} is given twice`, { hint: `${path} takes ${takes}` });
  // A form sends empty fields, too.
  const filled = [...given].filter(([, value]) => value !== '');
  const valueAt = (name: string, value: string) =>
    isList(query, name) ? given.getAll(name).filter((each) => each !== '') : value;
  const texts = Object.fromEntries(filled.map(([name, value]) => [name, valueAt(name, value)]));
  const read = query.safeParse(fromTexts(texts));
  if (read.success) return read.data;
  throw new UserError('usage', issuesText(read.error, 'the query'), { hint: `${path} takes ${takes}` });
}

const isStream = (answer: Answered): answer is AsyncIterable<string> => Symbol.asyncIterator in answer;

function whole(text: string, { method, headers }: Request, more: Record<string, string> = {}): Response {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const known = headers
    .get('if-none-match')
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  const isKnown = known?.includes(etag) === true || known?.includes('*') === true;
  const body = isKnown || method === 'HEAD' ? null : text;
  return new Response(body, { status: isKnown ? 304 : 200, headers: { ...HEADERS, ...more, etag } });
}

/** A client that reads slowly gets the parts as it reads. */
function streamed(parts: AsyncIterable<string>, { method }: Request): Response {
  if (method === 'HEAD') return new Response(null, { headers: HEADERS });
  const bytes = Readable.toWeb(Readable.from(bytesOf(parts)));
  return new Response(bytes as ReadableStream, { headers: HEADERS });
}

async function* bytesOf(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield Buffer.from(part);
}

/** The address of the next page, for a page of rows that are counted. */
function pages(answer: Answered, { url }: Request): Record<string, string> {
  if (!isRecord(answer)) return {};
  const { total, offset, limit } = answer;
  if (typeof total !== 'number' || typeof offset !== 'number' || typeof limit !== 'number') return {};
  if (offset + limit >= total) return {};
  const next = new URL(url);
  next.searchParams.set('offset', String(offset + limit));
  return { link: `<${next.pathname}${next.search}>; rel="next"` };
}

function failed(problem: Document<'error'>, status = 500, more: Record<string, string> = {}): Response {
  return new Response(jsonText(problem), { status, headers: { ...HEADERS, ...more } });
}
