import type { ChildProcess } from 'node:child_process';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawTicket, returnTicket } from '../platform/ticket.js';
import { ANSWER_MS, type Connection, connect, type Missing } from './connect.js';
import { type Hello, isNewer } from './hello.js';
import { readRecord } from './record.js';

/** Time for a new broker to listen, on a machine where several agents start at once. */
const START_MS = 15_000;
/** A broker loads the page and its addresses with the first link; the user waits for it. */
const PAGE_MS = 20_000;
const POLL_MS = 25;

export interface Wanted {
  /** Folder of the palace; a real path. */
  palace: string;
  socket: string;
  hello: Hello;
  /** Starts a broker as a process of its own. Absent for a broker that the user named. */
  start?: () => ChildProcess;
  /** Whether a broker with a record of another machine may still run. Absent like `start`. */
  isElsewhere?: () => Promise<boolean>;
}

/** Connects to the palace's broker if it runs: also to one that was started where sockets are in another folder. */
export async function findBroker({ palace, socket, hello, start }: Wanted): Promise<Connection | Missing> {
  const patienceMs = hello.kind === 'page' ? PAGE_MS : ANSWER_MS;
  const found = await connect(socket, hello, patienceMs);
  if (!('why' in found) || found.why !== 'absent' || start === undefined) return found;
  const other = readRecord(palace);
  const isSame = other?.build === hello.build && other.host === hostname() && other.socket !== socket;
  return isSame ? connect(other.socket, hello, patienceMs) : found;
}

/**
 * Connects to the palace's broker. If none runs, calls `onAbsent` and starts one, in the place of an older build.
 * @throws the file system's error
 */
export async function ensureBroker(wanted: Wanted, onAbsent?: () => void): Promise<Connection | Missing> {
  const found = await findBroker(wanted);
  if (!('why' in found) || found.why !== 'absent' || wanted.start === undefined) return found;
  onAbsent?.();
  const newer = await replaceOther(wanted);
  if (newer !== undefined) return { why: 'refused', reason: newer };
  const ticket = `${wanted.socket}.starting`;
  const mine = drawTicket(ticket);
  try {
    return await untilThere(wanted, mine ? wanted.start() : undefined);
  } finally {
    if (mine) returnTicket(ticket);
  }
}

/** Asks a broker of another build to make room. @returns why it does not, if it runs */
async function replaceOther({ palace, socket, hello, isElsewhere }: Wanted): Promise<string | undefined> {
  const other = readRecord(palace);
  if (other === undefined || other.socket === socket) return undefined;
  if (other.host !== hostname())
    return (await isElsewhere?.()) ? `the palace has a broker on ${other.host}` : undefined;
  const kind = isNewer(hello, other) ? 'retire' : 'status';
  const answer = await connect(other.socket, { ...hello, kind }, ANSWER_MS);
  if ('why' in answer) return answer.why === 'refused' ? answer.reason : undefined;
  answer.stream.destroy();
  return kind === 'status'
    ? `the palace has another broker, of version ${other.version}, on ${other.socket}`
    : undefined;
}

async function untilThere(wanted: Wanted, child: ChildProcess | undefined): Promise<Connection | Missing> {
  let ended = false;
  child?.once('error', () => {
    ended = true;
  });
  // A broker that finds another one ends with 0: the other one listens soon.
  child?.once('exit', (code) => {
    ended = code !== 0;
  });
  child?.unref();
  const until = performance.now() + START_MS;
  for (;;) {
    const found = await findBroker(wanted);
    if (!('why' in found) || found.why !== 'absent' || ended || performance.now() > until) return found;
    await sleep(POLL_MS);
  }
}
