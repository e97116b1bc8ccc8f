import { hostname } from 'node:os';
import { join } from 'node:path';
import { BROKER_LOCK } from '../../broker/broker.js';
import { tell } from '../../broker/connect.js';
import { readRecord } from '../../broker/record.js';
import { lockHolder } from '../../platform/lock.js';
import { type DoctorContext, type Finding, ok, warn } from './context.js';

const LABEL = 'broker';

/** The process that serves all agents of the palace. Without one, each agent serves itself. */
export async function checkBroker({ palace, config, version }: DoctorContext): Promise<Finding[]> {
  const off = config?.broker.use === 'off' ? 'switched off: each agent has a process of its own' : undefined;
  const record = readRecord(palace);
  if (record === undefined) return [ok(LABEL, off ?? 'it does not run; the first agent starts it')];
  if (record.host !== hostname())
    return [
      warn(
        LABEL,
        `the palace has a broker on ${record.host}`,
        `end it there, or reach it from here (docs/remote.md); if it is gone, remove broker.json in ${palace}`,
      ),
    ];
  const reply = await tell(record.socket, { kind: 'status', version, build: '', builtMs: 0 });
  if (reply === undefined) return [silent(palace, off)];
  const { pid, clients } = reply;
  const http = record.http === undefined ? '' : `, for other machines: ${record.http}`;
  const about = `process ${pid}, version ${reply.version}, clients: ${clients}${http}`;
  return [ok(LABEL, off === undefined ? about : `${off}; ${about}`)];
}

/** It was killed, or is stopped. */
function silent(palace: string, off: string | undefined): Finding {
  const holder = lockHolder(join(palace, BROKER_LOCK));
  if (holder === undefined)
    return ok(LABEL, off ?? 'it does not run: the last one was killed; the next agent starts another');
  const { pid } = holder;
  return warn(
    LABEL,
    `process ${pid} does not answer`,
    `continue it if it is stopped, or end it: kill ${pid}`,
  );
}
