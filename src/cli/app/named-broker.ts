import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { Duplex } from 'node:stream';
import { greetOver, type Missing } from '../../broker/connect.js';
import { findBroker } from '../../broker/find.js';
import type { Config } from '../../config/index.js';
import { line } from '../../core/outside.js';
import { markOf } from '../../core/project-id.js';
import type { ConnectedService } from '../../service/rpc/client.js';
import { brokerOf, isNamed, reasonOf, SSH, unreachable } from './broker.js';
import type { CommandContext } from './runner.js';

/** Time for SSH to connect, and for a broker to start there, milliseconds. */
const SSH_MS = 25_000;
/** What ssh says of a failure is short, characters. */
const MOST_SAID = 2_000;
/** What is run there. */
const COMMAND = 'mempalace broker connect';

/** This machine in the ids of projects; empty if the palace is here. */
export const ownMark = (config: Config): string => (isNamed(config) ? markOf(hostname()) : '');

/**
 * The palace behind the broker that the user named.
 *
 * @throws UserError `unreachable`
 */
export async function connectNamed(context: CommandContext): Promise<ConnectedService> {
  const { config, signal, env } = context;
  const { use } = config.broker;
  const wanted = brokerOf(context, 'service');
  if (wanted === undefined) throw new Error(`no broker is named: ${use}`);
  const said = { text: '' };
  const found = use.startsWith(SSH)
    ? await greetOver(overSsh(use, said, { signal, env }), wanted.hello, SSH_MS)
    : await findBroker(wanted);
  if ('why' in found) throw unreachable(config, whyNot(found, said.text));
  return (await import('./over-stream.js')).overStream(found.stream);
}

/** The last that ssh said: `ssh: connect to host …`, `mempalace: command not found`. */
function whyNot(found: Missing, said: string): string {
  const last = said.trim().split('\n').at(-1) ?? '';
  return last === '' ? reasonOf(found) : line(last.trim());
}

function overSsh(
  address: string,
  said: { text: string },
  { signal, env }: Pick<CommandContext, 'signal' | 'env'>,
): Duplex {
  const child = spawn('ssh', ['-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10', address, COMMAND], {
    stdio: 'pipe',
    env,
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said.text = (said.text + piece).slice(-MOST_SAID);
  });
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
  for (const part of [child, child.stdin, child.stdout])
    part.on('error', (error) => {
      said.text ||= error.message;
      stream.destroy();
    });
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  stream.once('close', () => {
    signal.removeEventListener('abort', stop);
    child.kill();
  });
  return stream;
}
