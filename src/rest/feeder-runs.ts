import { randomUUID } from 'node:crypto';
import { UserError } from '../core/errors.js';
import { isRecord } from '../core/json.js';
import type { LiveEvent } from './events/streams.js';
import { type Feeder, machineOf, type Progress, type RestHost } from './host.js';

/** Of a feeder's document, what the events tell. */
const COUNTS = ['new', 'changed', 'removed', 'skipped', 'drawers_added', 'drawers_removed', 'seconds'];

/** Feeders that were started over HTTP, one at a time. How far they are is told as events. */
export class FeederRuns {
  #now: LiveEvent | undefined;

  constructor(private readonly host: RestHost) {}

  /** What a new stream has to know. */
  get state(): LiveEvent[] {
    return this.#now === undefined ? [] : [this.#now];
  }

  /** @throws UserError `locked` while another one runs */
  start(program: Feeder, args: readonly string[]): { command: string; run: string } {
    const machine = machineOf(this.host);
    if (this.#now !== undefined)
      throw new UserError('locked', 'a run that was started here still goes on', {
        hint: 'wait for its end',
      });
    const about = { run: randomUUID(), command: [program, ...args].join(' ') };
    const tell = (progress: Progress): void => {
      this.#now = { event: 'progress', data: { ...about, ...progress } };
      this.host.live.send(this.#now);
    };
    const end = (outcome: object): void => {
      this.#now = undefined;
      this.host.live.send({ event: 'ended', data: { ...about, ...outcome } });
    };
    tell({ step: 'starting', done: 0, total: 0, note: '' });
    machine.feed(program, args, tell).then(
      (document) => end({ ok: true, counts: countsOf(document) }),
      (error: unknown) => end({ ok: false, ...this.host.problem(error) }),
    );
    return about;
  }
}

function countsOf(document: unknown): Record<string, unknown> {
  if (!isRecord(document)) return {};
  return Object.fromEntries(COUNTS.flatMap((name) => (name in document ? [[name, document[name]]] : [])));
}
