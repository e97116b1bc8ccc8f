import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LONGEST_PATH } from '../../../broker/address.js';
import { tell } from '../../../broker/connect.js';
import { ensureBroker, type Wanted } from '../../../broker/find.js';
import { UserError } from '../../../core/errors.js';
import { PALACE_FILE } from '../../../platform/folders.js';
import { BROKER_LOCK, lockHolder } from '../../../platform/lock.js';
import { minuteOf, plural } from '../../../terminal/durations.js';
import { line } from '../../../terminal/terminal.js';
import { anyBrokerOf, brokerOf, reasonOf, runningBroker, runningSocket } from '../../app/broker.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

type Running = NonNullable<Awaited<ReturnType<typeof runningBroker>>>;

export async function brokerStatus(context: CommandContext): Promise<void> {
  const { terminal, config } = context;
  const { use } = config.broker;
  const running = await runningBroker(context);
  const wanted = running === undefined ? anyBrokerOf(context, 'status') : undefined;
  if (wanted !== undefined) await refuseSilent(wanted);
  terminal.json(running === undefined ? { running: false, use } : { running: true, use, ...running });
  if (running !== undefined) {
    const { pid, version, started, clients, socket, http, watching } = running;
    terminal.data(`the broker runs: process ${pid}, version ${line(version)}, ${plural(clients, 'client')}`);
    terminal.data(`since ${minuteOf(started)}, on ${line(socket)}`);
    if (http !== undefined) terminal.data(`for other machines: ${line(http)}`);
    if (watching !== undefined) terminal.data(watchingText(watching));
  } else if (brokerOf(context, 'status') === undefined) terminal.data(whyNone(context));
  else terminal.data('no broker runs; the next agent starts it');
}

function watchingText({ paths, missing, last }: NonNullable<Running['watching']>): string {
  const filed =
    last === null
      ? 'nothing filed yet'
      : `last filed ${minuteOf(last.ended)} by ${line(last.command)} (${last.exit_code === null ? 'it was ended' : `exit ${last.exit_code}`})`;
  const nothing = missing.length === 0 ? 'nothing: no listed project and no database was found' : 'nothing';
  const gone = missing.length === 0 ? '' : `; missing, watched when back: ${missing.map(line).join(', ')}`;
  return `watches ${paths.map(line).join(', ') || nothing}${gone}; ${filed}`;
}

export async function brokerEnsure(context: CommandContext, _flags: CommonFlags): Promise<void> {
  const { terminal } = context;
  const wanted = brokerOf(context, 'status');
  if (wanted === undefined) throw new UserError('failed', whyNone(context), { hint: HINT });
  const found = await ensureBroker(wanted);
  if ('why' in found) {
    throw new UserError('failed', `there is no broker: ${reasonOf(found)}`, { hint: HINT });
  }
  found.stream.destroy();
  const socket = runningSocket(wanted);
  terminal.json({ socket, pid: found.reply.pid });
  terminal.data(socket);
}

export async function brokerStop(context: CommandContext): Promise<void> {
  const { terminal } = context;
  const wanted = anyBrokerOf(context, 'stop');
  const reply = wanted && (await tell(runningSocket(wanted), wanted.hello));
  if (reply === undefined && wanted !== undefined) await refuseSilent(wanted);
  terminal.json({ stopped: reply !== undefined });
  terminal.say(reply === undefined ? 'no broker runs' : `the broker ends (process ${reply.pid})`);
}

/** Time in which a broker that ends frees its lock, milliseconds. */
const ENDING_MS = 500;

/** @throws UserError `failed` when a broker has the palace and does not answer, for example because it is stopped */
async function refuseSilent({ palace }: Wanted): Promise<void> {
  const lock = join(palace, BROKER_LOCK);
  // A broker that ends just now frees its lock last.
  if (lockHolder(lock) !== undefined) await sleep(ENDING_MS);
  const holder = lockHolder(lock);
  if (holder === undefined) return;
  throw new UserError('failed', `the broker (process ${holder.pid}) does not answer`, {
    hint: `continue it if it is stopped, or end it: kill ${holder.pid}`,
  });
}

const HINT = 'mempalace log --of broker prints the log of the broker';

function whyNone({ config, folders }: CommandContext): string {
  if (config.broker.use === 'off') return 'no broker: broker.use is off';
  if (!existsSync(join(folders.palace, PALACE_FILE)))
    return `a broker needs a palace, and ${line(folders.palace)} does not contain one`;
  return `no broker: the path of its socket would be longer than ${LONGEST_PATH} bytes; each agent has a server of its own`;
}
