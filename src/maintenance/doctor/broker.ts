import { hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { LONGEST_PATH, socketPath } from '../../broker/address.js';
import { tell } from '../../broker/connect.js';
import { readRecord } from '../../broker/record.js';
import { type Config, namesBroker } from '../../config/index.js';
import { BROKER_LOCK, type LockHolder, lockHolder } from '../../platform/lock.js';
import { networkFileSystem } from '../../store/index.js';
import { type DoctorContext, type Found, ok, warn } from './context.js';

/** Builds are named by eight digits. */
const ANY_BUILD = '00000000';

/** The process that serves all agents of the palace. Without one, each agent serves itself. */
export async function checkBroker({
  palace,
  config,
  version,
  env,
  folders: { home },
}: DoctorContext): Promise<Found[]> {
  if (config !== undefined && namesBroker(config)) return [await named(config, version)];
  const off = config?.broker.use === 'off' ? 'switched off: each agent has a process of its own' : undefined;
  const record = readRecord(palace);
  if (record === undefined) {
    if (off !== undefined) return [ok(off)];
    if (socketPath(palace, ANY_BUILD, { env, home }) !== undefined)
      return [ok('it does not run; the first agent starts it')];
    const why = `the path of its socket would be longer than ${LONGEST_PATH} bytes: each agent has a process of its own`;
    return [{ ...ok(why), next: 'set XDG_RUNTIME_DIR to a folder with a shorter path' }];
  }
  const holder = lockHolder(join(palace, BROKER_LOCK));
  if (record.host !== hostname() && (holder !== undefined || networkFileSystem(palace) !== undefined))
    return [
      warn(
        `the palace has a broker on ${record.host}`,
        `end it there, or reach it from here (docs/remote.md); if it is gone, remove broker.json in ${palace}`,
      ),
    ];
  const reply = await tell(record.socket, { kind: 'status', version, build: '', builtMs: 0 });
  if (reply === undefined) return [silent(holder, off)];
  const { pid, clients } = reply;
  const http = record.http === undefined ? '' : `, for other machines: ${record.http}`;
  const about = `process ${pid}, version ${reply.version}, clients: ${clients}${http}`;
  return [ok(off === undefined ? about : `${off}; ${about}`)];
}

/** A broker that the user named. One that is reached by SSH is not asked: it may ask for a password. */
async function named({ broker: { use } }: Config, version: string): Promise<Found> {
  if (!isAbsolute(use)) return { ...ok(`named: ${use}`), next: 'mempalace status asks it' };
  const reply = await tell(use, { kind: 'status', version, build: '', builtMs: 0 });
  if (reply === undefined)
    return warn(`nothing answers at ${use}`, 'start it there, or forward its socket again (docs/remote.md)');
  return ok(`named: ${use}, version ${reply.version}, clients: ${reply.clients}`);
}

function silent(holder: LockHolder | undefined, off: string | undefined): Found {
  if (holder === undefined)
    return ok(off ?? 'it does not run: the last one was killed; the next agent starts another');
  const { pid } = holder;
  return warn(`process ${pid} does not answer`, `continue it if it is stopped, or end it: kill ${pid}`);
}
