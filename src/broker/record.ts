import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '../core/json.js';
import { replaceFile } from '../platform/atomic-write.js';
import { textOrEmpty } from '../platform/read-text.js';
import type { Build } from './hello.js';

/** In the palace's folder: where its broker listens. It only informs; whether a broker runs, its lock says. */
const RECORD = 'broker.json';

export interface BrokerRecord extends Build {
  pid: number;
  /** Name of the machine: the process id means nothing on another one. */
  host: string;
  socket: string;
  startedMs: number;
  /** The address for other machines, if it has one. */
  http?: string | undefined;
  /** While it lives, its file in `writers` changes. Absent in records of earlier builds. */
  claims?: boolean;
}

const FORM = 1;

/** @throws the file system's error */
export function writeRecord(palace: string, record: Omit<BrokerRecord, 'host' | 'claims'>): void {
  const whole = { v: FORM, host: hostname(), claims: true, ...record };
  replaceFile(join(palace, RECORD), `${JSON.stringify(whole)}\n`);
}

/** @returns undefined where there is none that this build understands */
export function readRecord(palace: string): BrokerRecord | undefined {
  const { v, ...record } = Object(parseJson(textOrEmpty(join(palace, RECORD))));
  const { pid, host, socket, version, build, builtMs, startedMs, http, claims } = record;
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
    claims: claims === true,
  };
}

/** Removes the record, if there is one. */
export function removeRecord(palace: string): void {
  rmSync(join(palace, RECORD), { force: true });
}
