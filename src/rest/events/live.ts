import { statSync } from 'node:fs';
import { ask } from '../../operations/operation.js';
import { programs } from '../../operations/programs.js';
import type { PalaceService } from '../../service/contract/index.js';
import { EventStreams, type LiveEvent, STREAM_LIMITS, type StreamLimits } from './streams.js';

/** Between two looks at the files of the palace, milliseconds. */
const LOOK_MS = 1_000;
const NEVER = new AbortController().signal;

type Changes = Awaited<ReturnType<typeof programs.changeCounter.run>>;

interface LiveOptions {
  service: PalaceService;
  /** Files that change with every write, of this process or another. */
  files: readonly string[];
  limits?: Partial<StreamLimits>;
  lookMs?: number;
  onTrouble(error: unknown): void;
}

/** Tells streams what happens to a palace, also when another program does it. It looks only while a stream is open. */
export class Live {
  readonly #streams: EventStreams;
  #looking: NodeJS.Timeout | undefined;
  #state = '';
  #last: Changes | undefined;

  constructor(private readonly options: LiveOptions) {
    this.#streams = new EventStreams({ ...STREAM_LIMITS, ...options.limits });
  }

  get isFull(): boolean {
    return this.#streams.isFull;
  }

  /** @param first events that only this stream gets, besides the present state of the palace */
  async open(first: readonly LiveEvent[], ending: AbortSignal): Promise<Response> {
    const changes = await this.#changes();
    this.#last ??= changes;
    this.#looking ??= setInterval(() => void this.#sendChanges(), this.options.lookMs ?? LOOK_MS).unref();
    return this.#streams.open([...eventsOf(changes, undefined), ...first], ending);
  }

  send(event: LiveEvent): void {
    this.#streams.send(event);
  }

  #isLooking = false;

  async #sendChanges(): Promise<void> {
    if (this.#streams.count === 0) {
      clearInterval(this.#looking);
      this.#looking = undefined;
      this.#last = undefined;
      return;
    }
    const state = this.options.files.map(stateOf).join();
    // A run that was killed writes nothing any more.
    const mayHaveDied = this.#last?.runs.some(({ running }) => running) === true;
    if (this.#isLooking || (state === this.#state && !mayHaveDied)) return;
    this.#isLooking = true;
    try {
      const changes = await this.#changes();
      for (const event of eventsOf(changes, this.#last)) this.#streams.send(event);
      [this.#last, this.#state] = [changes, state];
    } catch (error) {
      this.options.onTrouble(error);
    }
    this.#isLooking = false;
  }

  #changes(): Promise<Changes> {
    return ask(
      this.options.service,
      programs.changeCounter,
      {},
      { signal: NEVER, agent: '', through: 'rest: /events', waitMs: 0 },
    );
  }
}

/** What differs from the former state; all of it without one, but no run that has ended. */
function eventsOf(now: Changes, former: Changes | undefined): LiveEvent[] {
  const known = new Map(former?.runs.map((run) => [run.id, JSON.stringify(run)]));
  const runs = now.runs
    .filter((run) => (former === undefined ? run.running : known.get(run.id) !== JSON.stringify(run)))
    .reverse();
  const { sources, drawers, facts, current_facts } = now;
  const hasFiled = sources !== former?.sources || drawers !== former.drawers;
  const hasFacts = facts !== former?.facts || current_facts !== former.current_facts;
  return [
    ...runs.map((run): LiveEvent => ({ event: 'run', data: runOf(run) })),
    ...(hasFiled ? [{ event: 'filed' as const, data: { sources, drawers } }] : []),
    ...(hasFacts ? [{ event: 'facts' as const, data: { facts, current_facts } }] : []),
  ];
}

function runOf({ id, command, started, ended, exit_code, running, counts }: Changes['runs'][number]) {
  const numbers = ['new', 'changed', 'removed', 'drawers_added', 'drawers_removed'];
  return {
    id,
    command,
    started: new Date(started).toISOString(),
    seconds: ended === null ? null : (ended - started) / 1000,
    exit_code,
    running,
    ...Object.fromEntries(numbers.flatMap((name) => (name in counts ? [[name, counts[name]]] : []))),
  };
}

/** Size and time of a file; empty if there is none. */
function stateOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.size} ${stat.mtimeMs}`;
}
