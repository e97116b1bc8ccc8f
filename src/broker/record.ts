import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '../core/json.js';
import * as s from '../core/shape.js';
import { replaceFile } from '../platform/atomic-write.js';
import { textOrEmpty } from '../platform/read-text.js';
import { buildFields } from './hello.js';

/** In the palace's folder: where its broker listens. It only informs; whether a broker runs, its lock says. */
const RECORD = 'broker.json';

const FORM = 1;

const recordShape = s.object({
  ...buildFields,
  build: s.string,
  pid: s.orElse(s.number, 0),
  /** Name of the machine: the process id means nothing on another one. */
  host: s.orElse(s.string, ''),
  socket: s.string,
  startedMs: s.orElse(s.number, 0),
  /** The address for other machines, if it has one. */
  http: s.maybe(s.string),
  /** While it lives, its file in `writers` changes. Absent in records of earlier builds. */
  claims: s.orElse(s.boolean, false),
});
type BrokerRecord = s.Shaped<typeof recordShape>;

/** @throws the file system's error */
export function writeRecord(palace: string, record: Omit<BrokerRecord, 'host' | 'claims'>): void {
  const whole = { v: FORM, host: hostname(), claims: true, ...record };
  replaceFile(join(palace, RECORD), `${JSON.stringify(whole)}\n`);
}

/** @returns undefined if there is none that this build understands */
export function readRecord(palace: string): BrokerRecord | undefined {
  const record = parseJson(textOrEmpty(join(palace, RECORD)));
  return Object(record).v === FORM ? s.shaped(recordShape, record) : undefined;
}

export function removeRecord(palace: string): void {
  rmSync(join(palace, RECORD), { force: true });
}
