import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Broker, type BrokerOptions, type Session } from '../../../broker/broker.js';
import { Connections } from '../../../broker/connections.js';
import type { Hello } from '../../../broker/hello.js';
import { stayBroker } from '../../../broker/stay.js';
import { UserError } from '../../../core/errors.js';
import { isEndpoint } from '../../../embedding/index.js';
import { greet } from '../../../mcp/greeting.js';
import { chooseTools } from '../../../mcp/registry.js';
import { serveTools } from '../../../mcp/server.js';
import { Engine, Toolbox } from '../../../mcp/toolbox.js';
import { LineTransport } from '../../../mcp/transport.js';
import { serveService } from '../../../service/rpc/server.js';
import { withReaders } from '../../../service/threads/readers.js';
import { Palace, SCHEMA_VERSION, storedSchema } from '../../../store/index.js';
import { anyBrokerOf } from '../../app/broker.js';
import { knownError } from '../../app/failure.js';
import { refuseForeignBroker } from '../../app/foreign-broker.js';
import { palaceModel } from '../../app/palace-model.js';
import type { CommandContext } from '../../app/runner.js';
import { ENDPOINT_KEY, sharedSettings } from '../../app/shared-settings.js';
import { writingOnce } from '../../app/single-write.js';
import { mcpHost } from '../server/host.js';
import { SELF } from '../server/self.js';
import type { RunFlags } from './command.js';
import { ofThisMachine } from './connect.js';
import { lazyPage } from './page.js';

/** As the default of `mempalace-mcp --timeout`, milliseconds. */
export const DEADLINE_MS = 50_000;

/**
 * `mempalace broker run`: serves until nobody needs it. Ends at once if the palace has a broker; with `--stay` it takes
 * the place of that one.
 *
 * @throws UserError `failed` with `--stay` if its place belongs to another build: the manager of services starts that one
 */
export async function brokerRun(context: CommandContext, { stay = false }: RunFlags): Promise<void> {
  const { config, terminal, signal } = context;
  if (!stay) {
    const idleMs = config.broker.idleMinutes * 60_000;
    const ending = await withEngine(context, (_, options) => Broker.run({ ...options, idleMs }, signal));
    if (ending === 'taken') terminal.note('this palace has a broker already');
    return;
  }
  const idleMs = Number.POSITIVE_INFINITY;
  const ending = await withEngine(context, (_, options) => stayBroker({ ...options, idleMs }, signal));
  if (ending === 'replaced')
    throw new UserError('failed', 'the broker of another build has taken the place of this one', {
      hint: 'start it again; systemd and launchd do so by themselves',
    });
}

/**
 * Prepares the palace to be served, and cleans up afterwards.
 *
 * @throws UserError `not-found` without a palace, `locked` as `refuseForeignBroker`
 */
export async function withEngine<T>(
  given: CommandContext,
  work: (engine: Engine, options: Omit<BrokerOptions, 'idleMs'>) => Promise<T>,
): Promise<T> {
  const context = ofThisMachine(given);
  const { config, terminal } = context;
  const wanted = anyBrokerOf(context, 'mcp');
  if (wanted === undefined)
    throw new UserError('not-found', 'there is no palace to serve', { hint: 'file something first' });
  const { palace, socket, hello } = wanted;
  await refuseForeignBroker(palace);
  const { version, build, builtMs } = hello;
  const trouble = (error: unknown): void => terminal.log?.write('debug', String(error));
  const onEvent = (text: string): void => {
    terminal.log?.write('info', text);
    terminal.note(text);
  };
  const isWatching = config.broker.watchMinutes > 0;
  const connections = new Connections();
  const engine = new Engine(mcpHost(context), {
    // A long question of one client does not delay another's.
    shared: (service, models) =>
      withReaders(service, { folder: palace, models, countsUses: config.uses === 'on' }),
    onTrouble: trouble,
  });
  const renewing = new AbortController();
  void renewInBackground(context, palace, AbortSignal.any([context.signal, renewing.signal]), trouble);
  try {
    return await work(engine, {
      palace,
      socket,
      about: { version, build, builtMs },
      settings: await settingsOf(context),
      open: (client) => session(client, engine, connections, trouble),
      watcher: isWatching ? (await import('./watching.js')).watcherOf(context, onEvent) : undefined,
      isCurrent: () => storedSchema(palace) <= SCHEMA_VERSION,
      openPage: lazyPage(context, engine, { folder: dirname(socket), connections, onEvent }),
      onEvent,
    });
  } finally {
    renewing.abort();
    await engine.close();
  }
}

/** Milliseconds of work and of pause: clients and other writers come first. */
const [RENEW_MS, PAUSE_MS] = [200, 800];
const PROGRAM = 'mempalace broker';

/** Indexes drawers of an earlier version again, step by step, until it is done or the signal is aborted. */
async function renewInBackground(
  context: CommandContext,
  folder: string,
  signal: AbortSignal,
  onTrouble: (error: unknown) => void,
): Promise<void> {
  const step = async (): Promise<boolean> => {
    try {
      if (Palace.look(folder, ({ renewal }) => renewal.progress()) === undefined) return false;
      const { renewWords } = await import('../../../miner/renew-words.js');
      return await writingOnce(folder, { ...context, signal }, { make: false, program: PROGRAM }, (palace) =>
        renewWords({ palace, signal, budgetMs: RENEW_MS }),
      );
    } catch (error) {
      if (!signal.aborted) onTrouble(error);
      return error instanceof UserError && error.code === 'locked';
    }
  };
  // After another failure, the next run or the next broker goes on.
  while (!signal.aborted && (await step()))
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
}

/** What its clients must have in common with it. */
async function settingsOf({ config, folders, env }: CommandContext): Promise<Record<string, string>> {
  const { [ENDPOINT_KEY]: key = '', ...settings } = sharedSettings(config, folders, env);
  const model = (await palaceModel(folders.palace))?.id ?? config.model;
  return isEndpoint(model) ? { ...settings, [ENDPOINT_KEY]: key } : settings;
}

/** @throws UserError `usage` for unknown tools */
function session(
  hello: Hello,
  engine: Engine,
  connections: Connections,
  onTrouble: (error: unknown) => void,
): Session {
  const { agent, cwd, readOnly = false, deadlineMs = DEADLINE_MS } = hello;
  if (hello.kind === 'service') return { writes: [], serve: (socket) => serveCommands(socket, engine) };
  if (readOnly && storedSchema(engine.host.folder) < SCHEMA_VERSION)
    throw new UserError('failed', 'the palace is of an earlier version, and the client is read-only');
  const tools = chooseTools(hello.tools ?? 'core');
  const folders = cwd === undefined ? [] : [cwd];
  const toolbox = new Toolbox({ engine, tools, readOnly, agent, folders, deadlineMs });
  return {
    writes: toolbox.writes,
    async serve(socket: Socket, signal) {
      const client = new LineTransport(socket, socket, (message) => greet(message, SELF), deadlineMs);
      client.listen();
      socket.resume();
      engine.warm();
      const leave = connections.add(agent ?? 'agent');
      const stop = (): void => client.finish();
      signal.addEventListener('abort', stop, { once: true });
      await serveTools(client, toolbox, { self: SELF, signal: new AbortController().signal, onTrouble });
      signal.removeEventListener('abort', stop);
      leave();
    },
  };
}

/** Serves a command of this toolkit, such as `mempalace search`. */
function serveCommands(socket: Socket, engine: Engine): Promise<void> {
  const served = serveService(socket, engine.service, { known: knownError });
  engine.warm();
  socket.resume();
  return served;
}
