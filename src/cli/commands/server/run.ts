import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBroker, findBroker } from '../../../broker/find.js';
import { isOfSettings } from '../../../broker/hello.js';
import { agentIn } from '../../../core/agent-name.js';
import { messageOf, UserError } from '../../../core/errors.js';
import { Direct } from '../../../mcp/direct.js';
import { greet, type Self } from '../../../mcp/greeting.js';
import { type Backend, Relay } from '../../../mcp/relay.js';
import { Remote } from '../../../mcp/remote.js';
import { Split } from '../../../mcp/split.js';
import { listEarly } from '../../../mcp/tool-list.js';
import { LineTransport } from '../../../mcp/transport.js';
import { workingFolder } from '../../../platform/checkout.js';
import { resolveFolders } from '../../../platform/folders.js';
import { shellQuoted } from '../../../platform/shell-quoted.js';
import type { Io } from '../../../terminal/io.js';
import { line } from '../../../terminal/terminal.js';
import { brokerOf, isNamed, reasonOf, SSH, unreachable } from '../../app/broker.js';
import type { Call } from '../../app/call.js';
import { EXIT } from '../../app/exit.js';
import { knownError } from '../../app/failure.js';
import type { CommonFlags } from '../../app/options.js';
import { type BareContext, begin, type CommandContext, performBare } from '../../app/runner.js';
import { SELF } from './self.js';

/** Time for a client to ask for its tools. */
const FIRST_MS = 250;

/** Tools that read folders. */
const FILES_HERE: ReadonlySet<string> = new Set(['mempalace_mine']);
/** A server without a broker looks for one again after this many pauses in which its client sent nothing: one minute. */
const IDLE_PAUSES = 60;

interface McpFlags extends CommonFlags {
  tools: string;
  readOnly?: boolean;
  agent?: string;
  /** Milliseconds. */
  timeout: number;
}

export const MCP_DEFAULTS: McpFlags = { tools: 'core', timeout: 50_000, color: true };

/** `mempalace-mcp`: serves until the client disconnects. */
export function serve(flags: McpFlags): Promise<void> {
  // A client that ends its server would log a line on stderr as an error.
  return performBare(
    flags,
    (context) => runServer(flags, context),
    () => undefined,
  );
}

/** `mempalace-mcp` without arguments, as most clients start it: it does without the parser. Returns the exit code. */
export async function serveByDefault(io: Io): Promise<number> {
  const call: Call = { path: 'mempalace-mcp', argv: [], io, exitCode: EXIT.done };
  begin(call);
  await serve(MCP_DEFAULTS);
  return call.exitCode;
}

/** Returns the exit code. */
async function runServer(given: McpFlags, context: BareContext): Promise<number> {
  if (given.json === true) throw new UserError('usage', '--json cannot be used: stdout carries the protocol');
  const { terminal, env } = context;
  const agent = given.agent ?? agentIn(env);
  const flags = { ...given, ...(agent === undefined ? {} : { agent }) };
  const trouble = (error: unknown): void => {
    if (terminal.options.verbose) terminal.note(line(String(error)));
    terminal.log?.write('debug', String(error));
  };
  // Listen first, since loading the rest takes longer than some clients wait.
  const { stdin, stdout } = terminal.io;
  const client = new LineTransport(stdin, stdout, (message) => greet(message, SELF), flags.timeout);
  client.listen();
  try {
    await serveClient(client, flags, context, trouble);
  } catch (error) {
    const { message, hint } = knownError(error) ?? { message: messageOf(error), hint: undefined };
    await client.refuse(hint === undefined ? message : `${message}: ${hint}`);
    throw error;
  }
  return EXIT.done;
}

async function serveClient(
  client: LineTransport,
  flags: McpFlags,
  context: BareContext,
  trouble: (error: unknown) => void,
): Promise<void> {
  const { terminal, env, signal } = context;
  // On a terminal, errors in the command line are reported at once.
  if (!terminal.io.stdin.isTTY) await Promise.race([client.opened, aborted(signal)]);
  const { loadConfig, useZone } = await import('../../../config/index.js');
  const config = await loadConfig({ env, folders: resolveFolders(env), flags: { palace: flags.palace } });
  useZone(config);
  const own = { ...context, config, folders: resolveFolders(env, config.palace) };
  const closing: (() => Promise<void>)[] = [];
  // The tools are the same in a broker that an agent starts, and here.
  const early = (): void => client.answerWaiting((message) => listEarly(message, flags));
  let refusal = '';
  const backoffMs = countOf(env.MEMPALACE_MCP_RESPAWN_BACKOFF_MS, 1_000);
  // An agent names folders of its own machine; what is in them is filed behind the named broker.
  const miner = async (): Promise<Backend | undefined> => {
    const { chooseTools } = await import('../../../mcp/registry.js');
    const isOffered = chooseTools(flags.tools).some(({ name }) => FILES_HERE.has(name));
    if (flags.readOnly === true || !isOffered) return undefined;
    const { backend, close } = await ownTools(
      { ...flags, tools: [...FILES_HERE].join() },
      own,
      SELF,
      trouble,
    );
    closing.push(close);
    return backend;
  };
  const relay = new Relay(client, {
    broker: async () => {
      const there = await brokerTools(flags, own, early, trouble, (found) => {
        refusal = found;
      });
      if (there === undefined || !isNamed(config)) return there;
      return new Split(there, { here: FILES_HERE, open: miner, onTrouble: trouble });
    },
    notice: () => (isOfSettings(refusal) ? `note: ${refusal}; this server works by itself` : undefined),
    own: async () => {
      if (isNamed(config)) throw unreachable(config, 'it has ended');
      early();
      // Loading leaves no time to read: the client may ask for its tools first.
      await Promise.race([client.needed, sleep(FIRST_MS, undefined, { ref: false })]);
      const { backend, close } = await ownTools(flags, own, SELF, trouble);
      closing.push(close);
      // A relay that joins a broker gives up these tools, and the memory of their model.
      backend.closed.then(close).catch(trouble);
      return backend;
    },
    rejoin: isNamed(config) ? undefined : () => runningTools(flags, own),
    deadlineMs: flags.timeout,
    respawns: countOf(env.MEMPALACE_MCP_MAX_RESPAWNS, 2),
    backoffMs,
    rejoinMs: backoffMs * IDLE_PAUSES,
    onTrouble: trouble,
  });
  try {
    await relay.run(signal);
  } finally {
    for (const close of closing) await close();
  }
}

/** The tools of the palace's broker, which is started if none runs. */
async function brokerTools(
  flags: McpFlags,
  context: CommandContext,
  onAbsent: () => void,
  onTrouble: (error: unknown) => void,
  onRefused: (reason: string) => void,
): Promise<Backend | undefined> {
  try {
    if (context.config.broker.use.startsWith(SSH)) return sshTools(flags, context.config.broker.use);
    const wanted = wantedBy(flags, context);
    if (wanted === undefined) return undefined;
    const found = await ensureBroker(wanted, onAbsent);
    if (!('why' in found)) return new Remote(found.stream, new Set(found.reply.writes));
    if (isNamed(context.config)) throw unreachable(context.config, reasonOf(found));
    if (found.why === 'refused') onRefused(reasonOf(found));
    onTrouble(`no broker: ${reasonOf(found)}`);
  } catch (error) {
    if (isNamed(context.config)) throw error;
    onTrouble(error);
  }
  return undefined;
}

/** The tools of the broker that runs by now. One that refuses this client does so again. */
async function runningTools(
  flags: McpFlags,
  context: CommandContext,
): Promise<Backend | 'never' | undefined> {
  if (context.config.broker.use === 'off') return 'never';
  const wanted = wantedBy(flags, context);
  if (wanted === undefined) return undefined;
  const found = await findBroker(wanted);
  if ('why' in found) return found.why === 'refused' ? 'never' : undefined;
  return new Remote(found.stream, new Set(found.reply.writes));
}

const wantedBy = ({ tools, readOnly, agent, timeout: deadlineMs }: McpFlags, context: CommandContext) =>
  brokerOf(context, 'mcp', { tools, readOnly, agent, deadlineMs });

/** The server of another machine. Any call may be a write: none is repeated. */
function sshTools({ tools, readOnly, agent }: McpFlags, address: string): Backend {
  const flags = [
    '--tools',
    tools,
    ...(readOnly ? ['--read-only'] : []),
    ...(agent ? ['--agent', agent] : []),
  ];
  const command = ['mempalace-mcp', ...flags].map(shellQuoted).join(' ');
  const child = spawn('ssh', ['-T', '-o', 'BatchMode=yes', address, command], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
  for (const part of [child, child.stdin, child.stdout]) part.on('error', () => stream.destroy());
  return new Remote(stream, { has: () => true });
}

/** The tools in this process. */
async function ownTools(
  flags: McpFlags,
  context: CommandContext,
  self: Self,
  onTrouble: (error: unknown) => void,
): Promise<{ backend: Backend; close(): Promise<void> }> {
  const [{ chooseTools }, { Engine, Toolbox }, { mcpHost }, { serveTools }] = await Promise.all([
    import('../../../mcp/registry.js'),
    import('../../../mcp/toolbox.js'),
    import('./host.js'),
    import('../../../mcp/server.js'),
  ]);
  const readOnly = flags.readOnly === true;
  const tools = chooseTools(flags.tools);
  const engine = new Engine(mcpHost(context), { readOnly, onTrouble });
  const { agent, timeout: deadlineMs } = flags;
  const toolbox = new Toolbox({ engine, tools, readOnly, agent, folders: workingFolder(), deadlineMs });
  const backend = new Direct(new Set(toolbox.writes));
  const served = serveTools(backend, toolbox, { self, signal: context.signal, onTrouble });
  engine.warm();
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      backend.close();
      await served;
      await engine.close();
    })();
    return closed;
  };
  return { backend, close };
}

/** A whole number of at least 0 from the environment. */
function countOf(text: string | undefined, otherwise: number): number {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : otherwise;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
