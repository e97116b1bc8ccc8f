import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockedElsewhere } from '../core/errors.js';
import { Broker, type BrokerOptions, type Ending } from './broker.js';
import { ANSWER_MS, connect } from './connect.js';
import { readRecord } from './record.js';

/** Between the first two attempts, and at most. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 5_000];

/**
 * Becomes the palace's broker for good, as a service does, with an infinite `idleMs`: one that an agent has started makes
 * room, and goes on serving its clients. It waits for any other one: another service, `mempalace serve`, a newer build, one
 * in a container, any writer of another machine. Never returns `taken`.
 *
 * @throws as `Broker.run`
 */
export async function stayBroker(options: BrokerOptions, signal: AbortSignal): Promise<Ending> {
  let told: string | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const ending = await Broker.run(options, signal).catch(refusedElsewhere);
    if (ending !== 'taken' && typeof ending === 'string') return ending;
    const refusal = ending === 'taken' ? await askForRoom(options) : ending.message;
    if (refusal !== undefined && refusal !== told) options.onEvent(`waits: ${refusal}`);
    told = refusal;
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
  return 'ended';
}

function refusedElsewhere(error: unknown): LockedElsewhere {
  if (error instanceof LockedElsewhere) return error;
  throw error;
}

/** @returns why the other broker does not make room; undefined if it does, or begins or ends just now */
async function askForRoom({ about, palace }: BrokerOptions): Promise<string | undefined> {
  const other = readRecord(palace);
  if (other === undefined) return undefined;
  const { host, pid, socket } = other;
  if (host !== hostname()) return `the palace has a broker on ${host}`;
  const answer = await connect(socket, { ...about, kind: 'retire', stays: true }, ANSWER_MS);
  if (!('why' in answer)) return void answer.stream.destroy();
  if (answer.why === 'absent') return undefined;
  const reason = answer.why === 'refused' ? answer.reason : 'it does not answer';
  return `the broker of process ${pid} does not make room: ${reason}`;
}
