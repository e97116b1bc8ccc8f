import { hostname, networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { byToken, type Client } from '../../../broker/authenticate.js';
import { Broker, type BrokerOptions } from '../../../broker/broker.js';
import { tell } from '../../../broker/connect.js';
import { HTTP_LIMITS, HttpListener } from '../../../broker/http.js';
import { readRecord } from '../../../broker/record.js';
import { newToken, readTokenFile, Tokens } from '../../../broker/tokens.js';
import { UserError } from '../../../core/errors.js';
import { isLoopback } from '../../../core/loopback.js';
import { type Fetch, httpTools } from '../../../mcp/http.js';
import { chooseTools } from '../../../mcp/registry.js';
import { type Engine, Toolbox } from '../../../mcp/toolbox.js';
import { replaceFile } from '../../../platform/atomic-write.js';
import { ROOT, restApi } from '../../../rest/api.js';
import { line } from '../../../terminal/terminal.js';
import type { FlagsOf } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { restHost } from '../broker/rest-host.js';
import { DEADLINE_MS, withEngine } from '../broker/serve.js';
import { confinedSelf, SELF } from '../server/self.js';
import type { command } from './command.js';

/** The address of the tools. */
const TOOLS = '/mcp';
/** Whose token is in the token file. */
const OWNER = 'owner';
/** In the palace's folder. */
const TOKEN_FILE = 'serve-token';
/** Time for the broker of this machine to make room. */
const ROOM_MS = 10_000;
const POLL_MS = 50;

/** `mempalace serve`: the broker in the foreground, with HTTP, until it is ended. */
export async function runServe(context: CommandContext, flags: FlagsOf<typeof command>): Promise<void> {
  const { terminal, signal } = context;
  const { host, port, allowHost = [], readOnly = false } = flags;
  const checks = await import('@modelcontextprotocol/server');
  await withEngine(context, async (engine, options) => {
    const { palace, onEvent } = options;
    const tokens = new Tokens(palace);
    const tokenFile = prepareToken(tokens, palace, flags.tokenFile);
    const listener = new HttpListener(
      {
        host,
        port,
        names: [...(isAny(host) ? ownNames() : [host]), ...allowHost],
        authenticate: byToken((token) => tokens.holderOf(token)),
        answer: answering(context, engine, readOnly),
        onEvent,
      },
      checks,
    );
    const http = {
      listen: async () => (await listener.listen()) + TOOLS,
      onReady(url: string): void {
        engine.warm();
        terminal.json({ url, token_file: tokenFile ?? null, read_only: readOnly });
        terminal.data(url);
        if (tokenFile !== undefined) terminal.note(`the token is in ${line(tokenFile)}`);
        if (!isLoopback(host))
          terminal.warn('the connection is not encrypted: use a tunnel or a proxy with TLS (docs/remote.md)');
      },
      close: () => listener.close(),
    };
    await becomeBroker({ ...options, idleMs: Number.POSITIVE_INFINITY, http }, signal);
  });
}

/** Asks a broker that agents of this machine have started to end: they find this one. */
async function becomeBroker(options: BrokerOptions, signal: AbortSignal): Promise<void> {
  const { palace, about } = options;
  const until = performance.now() + ROOM_MS;
  while ((await Broker.run(options, signal)) === 'taken') {
    const record = readRecord(palace);
    if (record?.http !== undefined && record.host === hostname())
      throw new UserError('locked', `process ${record.pid} serves this palace on ${line(record.http)}`, {
        hint: 'end it first; it takes new tokens without a restart',
      });
    if (performance.now() > until)
      throw new UserError('locked', 'the broker of this palace does not end', {
        hint: 'mempalace broker status names its process',
      });
    if (record !== undefined) await tell(record.socket, { ...about, kind: 'stop' });
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** @returns the answer to a request of a token's holder */
function answering(context: CommandContext, engine: Engine, readOnly: boolean) {
  const onTrouble = (error: unknown): void => context.terminal.log?.write('debug', String(error));
  const rest = restApi(restHost(context, engine));
  const tools = chooseTools('core');
  /** Per name and rights; a server has few of them. */
  const handlers = new Map<string, Promise<Fetch>>();
  return async (
    request: Request,
    { name, readOnly: reads, wing }: Client,
    ending: AbortSignal,
  ): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const isReader = readOnly || reads;
    if (pathname.startsWith(`${ROOT}/`)) return rest(request, { name, readOnly: isReader, wing }, ending);
    if (pathname !== TOOLS) return Response.json({ error: 'not_found' }, { status: 404 });
    if (request.method !== 'POST')
      return Response.json({ error: 'method_not_allowed' }, { status: 405, headers: { allow: 'POST' } });
    const key = JSON.stringify([name, isReader, wing]);
    let handler = handlers.get(key);
    if (handler === undefined) {
      const client = { agent: name, folders: [], deadlineMs: DEADLINE_MS };
      const toolbox = new Toolbox({ engine, tools, readOnly: isReader, wing, ...client });
      const self = wing === undefined ? SELF : confinedSelf(wing);
      handler = httpTools(toolbox, { self, bodyBytes: HTTP_LIMITS.bodyBytes, onTrouble });
      handlers.set(key, handler);
    }
    return (await handler)(request);
  };
}

/**
 * Makes the first token, or accepts the one in the file that the user named.
 *
 * @returns the file with the token, unless all were made by `token add`
 */
function prepareToken(tokens: Tokens, palace: string, named: string | undefined): string | undefined {
  if (named === undefined && tokens.list().length > 0) return undefined;
  const file = named === undefined ? join(palace, TOKEN_FILE) : resolve(named);
  let token = named === undefined ? undefined : readTokenFile(file);
  if (token === undefined) {
    token = newToken();
    replaceFile(file, `${token}\n`);
  }
  if (tokens.holderOf(token) === undefined) tokens.put(token, { name: OWNER, readOnly: false });
  return file;
}

const isAny = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** What this machine is called where it listens on all addresses. */
function ownNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.map(({ address }) => address),
  );
  return [hostname(), ...addresses];
}
