import { hostname } from 'node:os';
import { tell } from '../../broker/connect.js';
import { readRecord } from '../../broker/record.js';
import { type DoctorContext, type Finding, ok, warn } from './context.js';

const LABEL = 'broker';

/** The process that serves all agents of the palace. Without one, each agent serves itself. */
export async function checkBroker({ palace, config, version }: DoctorContext): Promise<Finding[]> {
  if (config?.broker.use === 'off') return [ok(LABEL, 'switched off: each agent has a process of its own')];
  const record = readRecord(palace);
  if (record === undefined) return [ok(LABEL, 'it does not run; the first agent starts it')];
  if (record.host !== hostname())
    return [
      warn(
        LABEL,
        `the palace has a broker on ${record.host}`,
        `end it there, or reach it from here (docs/remote.md); if it is gone, remove broker.json in ${palace}`,
      ),
    ];
  const reply = await tell(record.socket, { kind: 'status', version, build: '', builtMs: 0 });
  if (reply === undefined)
    return [ok(LABEL, 'it does not run: the last one was killed; the next agent starts another')];
  const { pid, clients } = reply;
  return [ok(LABEL, `process ${pid}, version ${reply.version}, clients: ${clients}`)];
}
