import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '../core/json.js';
import { replaceFile } from '../platform/atomic-write.js';
import { textOrEmpty } from '../platform/read-text.js';
import type { Build } from './hello.js';

/** In the palace's folder: where its broker listens. It only informs; whether a broker runs, its lock says. */
const RECORD = 'broker.json';
/** In the palace's folder. Held for the life of a broker; the kernel frees it. */
export const BROKER_LOCK = 'broker.lock';

export interface BrokerRecord extends Build {
  pid: number;
  /** Name of the machine: the process id means nothing on another one. */
  host: string;
  socket: string;
  startedMs: number;
  /** The address for other machines, if it has one. */
  http?: string | undefined;
}

const FORM = 1;

/** @throws the file system's error */
export function writeRecord(palace: string, record: Omit<BrokerRecord, 'host'>): void {
  replaceFile(join(palace, RECORD), `${JSON.stringify({ v: FORM, host: hostname(), ...record })}\n`);
}

/** @returns undefined where there is none that this build understands */
export function readRecord(palace: string): BrokerRecord | undefined {
  const { v, ...record } = Object(parseJson(textOrEmpty(join(palace, RECORD))));
  const { pid, host, socket, version, build, builtMs, startedMs, http } = record;
  const isWhole = typeof socket === 'string' && typeof build === 'string' && typeof version === 'string';
  if (v !== FORM || !isWhole) return undefined;
  return {
    pid: Number(pid),
    host: String(host),
    socket,
    version,
    build,
    builtMs: Number(builtMs),
    startedMs: Number(startedMs),
    http: typeof http === 'string' ? http : undefined,
  };
}

/** Removes the record, if there is one. */
export function removeRecord(palace: string): void {
  rmSync(join(palace, RECORD), { force: true });
}
