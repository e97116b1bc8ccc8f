import { createConnection } from 'node:net';
import { Duplex } from 'node:stream';
import { ensureBroker } from '../../../broker/find.js';
import { lineOf, readHello } from '../../../broker/hello.js';
import { UserError } from '../../../core/errors.js';
import type { Io } from '../../../terminal/io.js';
import { brokerOf, isNamed, runningSocket } from '../../app/broker.js';
import { thisBuild } from '../../app/build.js';
import { knownError } from '../../app/failure.js';
import type { CommandContext } from '../../app/runner.js';

/**
 * `mempalace broker connect`: connects stdin and stdout to the broker of this machine's palace, for another machine over
 * SSH. If no broker runs, this process answers.
 *
 * @throws UserError `usage` for a client that is not one of this toolkit
 */
export async function brokerConnect(given: CommandContext): Promise<void> {
  const context = ofThisMachine(given);
  const { stdin, stdout } = context.terminal.io;
  const wanted = brokerOf(context, 'status');
  const found = wanted && (await ensureBroker(wanted));
  if (wanted === undefined || found === undefined || 'why' in found) return serveHere(context);
  found.stream.destroy();
  const socket = createConnection(runningSocket(wanted));
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => resolve());
    stdin.once('close', () => socket.destroy());
    stdin.pipe(socket);
    socket.pipe(stdout);
  });
}

/** Ignores a broker that this machine's settings name: it may be the machine that asks. */
export function ofThisMachine(context: CommandContext): CommandContext {
  const { config, env } = context;
  if (!isNamed(config)) return context;
  return {
    ...context,
    env: { ...env, MEMPALACE_BROKER: 'auto' },
    config: { ...config, broker: { ...config.broker, use: 'auto' } },
  };
}

async function serveHere(context: CommandContext): Promise<void> {
  const { stdin, stdout } = context.terminal.io;
  const hello = readHello(await firstLine(stdin));
  if (hello === undefined) throw new UserError('usage', 'stdin is not from a program of mempalace');
  const [{ Engine }, { mcpHost }, { serveService }] = await Promise.all([
    import('../../../mcp/toolbox.js'),
    import('../server/host.js'),
    import('../../../service/rpc/server.js'),
  ]);
  const { pid } = process;
  stdout.write(lineOf({ ok: true, ...thisBuild(), pid, clients: 0, startedMs: Date.now(), writes: [] }));
  const engine = new Engine(mcpHost(context), { onTrouble: () => {} });
  try {
    const stream = Duplex.from({ readable: stdin, writable: stdout });
    await serveService(stream, engine.service, { known: knownError });
  } finally {
    await engine.close();
  }
}

/** The rest stays in the stream. */
function firstLine(stream: Io['stdin']): Promise<string> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const take = (piece: Buffer): void => {
      received = Buffer.concat([received, piece]);
      const end = received.indexOf('\n');
      if (end >= 0) done(end);
    };
    const done = (end: number): void => {
      stream.off('data', take).off('end', atEnd);
      stream.pause();
      if (received.length > end + 1) stream.unshift(received.subarray(end + 1));
      resolve(received.subarray(0, end).toString('utf8'));
    };
    const atEnd = (): void => done(received.length);
    stream.on('data', take).on('end', atEnd);
  });
}
