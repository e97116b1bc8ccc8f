import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { inPackage } from '../../platform/in-package.js';
import { type Asked, type PalaceService, type ServiceCall, serviceFrom } from '../contract/index.js';
import type { Models } from '../palace/models.js';
import { type ConnectedService, clientOver, Disconnected } from '../rpc/client.js';
import { portLink } from '../rpc/ports.js';
import { lendModels } from './model-port.js';

/** Compiled, also where this module runs as TypeScript (tests). */
const READER_FILE = 'dist/service/threads/reader.cjs';
const REOPENING = 'palace reopen';
/** The model answers the owner's thread; a reader would only copy its vectors. */
const EMBEDDING = 'palace embed';
/** Threads at most. More would only compete with the model's. */
const MOST = 2;
/** An unused thread ends: it needs as much memory as a small agent. */
const IDLE_MS = 60_000;
/** Megabytes for new objects: less than by default, and as fast. With 4, a search takes a tenth longer. */
const YOUNG_MB = 16;

/** A reader thread is started with it. */
export interface ReaderData {
  folder: string;
  countsUses: boolean;
  models: MessagePort;
}

interface ReaderOptions {
  folder: string;
  /** The owner's, lent to the threads. */
  models: Models;
  /** See `sqliteService`. */
  countsUses?: boolean;
  /** An unused thread ends after it. */
  idleMs?: number;
}

interface Reader {
  service: ConnectedService;
  worker: Worker;
  /** Calls that run in it. */
  busy: number;
  idle?: NodeJS.Timeout;
}

/**
 * A service whose reading methods run in threads, so that a long call of one client does not delay another's; all others
 * run in `owner`. A thread is started when all others are busy.
 *
 * @param owner in this thread
 */
export function withReaders<Owner extends PalaceService & { close(): Promise<void> }>(
  owner: Owner,
  { folder, models, countsUses = false, idleMs = IDLE_MS }: ReaderOptions,
): Owner {
  const readers: Reader[] = [];
  let closed = false;
  const open = (): Reader => {
    const { port1, port2 } = new MessageChannel();
    lendModels(port1, models);
    const workerData: ReaderData = { folder, countsUses, models: port2 };
    // Without execArgv a worker inherits flags of the main thread, such as a test runner's loaders.
    const worker = new Worker(inPackage(READER_FILE), {
      workerData,
      execArgv: [],
      transferList: [port2],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    port1.unref();
    worker.once('exit', () => {
      port1.close();
      forget(reader);
    });
    const reader: Reader = { service: clientOver(portLink(worker)), worker, busy: 0 };
    readers.push(reader);
    return reader;
  };
  const forget = (reader: Reader): void => {
    const at = readers.indexOf(reader);
    if (at >= 0) readers.splice(at, 1);
  };
  const ended = async (reader: Reader): Promise<void> => {
    clearTimeout(reader.idle);
    forget(reader);
    await reader.service.close();
    await reader.worker.terminate();
  };
  const free = (): Reader => {
    const least = [...readers].sort((one, other) => one.busy - other.busy)[0];
    return least === undefined || (least.busy > 0 && readers.length < MOST) ? open() : least;
  };
  const inReader = async (asked: Asked, input: unknown, call: ServiceCall): Promise<unknown> => {
    const reader = free();
    const { service, worker } = reader;
    reader.busy += 1;
    clearTimeout(reader.idle);
    worker.ref();
    try {
      return await service.ask(asked, input, call);
    } finally {
      reader.busy -= 1;
      if (reader.busy === 0) {
        worker.unref();
        if (!readers.includes(reader)) void ended(reader);
        else reader.idle = setTimeout(() => void ended(reader), idleMs).unref();
      }
    }
  };
  const service = serviceFrom(async (asked, input, call) => {
    // New threads open the palace again. One that answers a call ends after it.
    if (asked.name === REOPENING)
      for (const reader of readers.splice(0)) if (reader.busy === 0) void ended(reader);
    if (asked.reads !== true || asked.name === EMBEDDING) return owner.ask(asked, input, call);
    try {
      return await inReader(asked, input, call);
    } catch (error) {
      // The thread has ended, for example for want of memory. Another one may do better.
      if (!(error instanceof Disconnected) || closed) throw error;
      return inReader(asked, input, call);
    }
  });
  return {
    ...owner,
    ...service,
    async close() {
      closed = true;
      await Promise.all([...readers].map(ended));
      await owner.close();
    },
  };
}
