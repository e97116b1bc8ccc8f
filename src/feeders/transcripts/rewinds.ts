import { type Entry, turn } from './turns.js';

/** An entry of a log whose program can rewind. */
export type Step =
  | Entry
  /** Start of the message with this id; it may have no turns. */
  | { kind: 'place'; name: string }
  | ({ kind: 'rewind'; at?: string | undefined } & RewindTarget);

type RewindTarget =
  /** This message and all later ones; all messages if it does not exist. */
  { from: string } | { after: string } | { exchanges: number };

/**
 * The entries of a log with rewinds. Turns that a rewind removed are kept, but become synthetic: they neither count as
 * messages nor name the session. A marker line follows them.
 *
 * @param read reads the log from the beginning; called twice
 */
export async function* withRewinds(read: () => AsyncIterable<Step>): AsyncGenerator<Entry> {
  const { undone, rewinds } = await takenBack(read());
  let turns = 0;
  let rewind = 0;
  for await (const step of read()) {
    if (step.kind === 'place') continue;
    if (step.kind === 'rewind') {
      const cut = rewinds[rewind++];
      if (cut === undefined) continue;
      const which = cut.at === undefined ? 'above' : `since ${cut.at}`;
      const text = `[rewound: the messages ${which} were taken back]`;
      yield turn('user', text, { at: step.at, synthetic: true });
    } else yield step.kind === 'turn' && undone.has(turns++) ? { ...step, synthetic: true } : step;
  }
}

/** A message start or a turn (by number) that no rewind has removed. */
interface Standing {
  name?: string;
  turn?: number;
  spoken?: boolean;
  at?: string | undefined;
}

/** `rewinds` contains the first turn that each rewind removed; undefined if it removed none. */
async function takenBack(steps: AsyncIterable<Step>) {
  const undone = new Set<number | undefined>();
  const rewinds: (Standing | undefined)[] = [];
  const standing: Standing[] = [];
  let turns = 0;
  for await (const step of steps) {
    if (step.kind === 'place') standing.push({ name: step.name });
    else if (step.kind === 'turn') {
      standing.push({ turn: turns++, spoken: step.spoken && step.role === 'user', at: step.at });
    } else if (step.kind === 'rewind') {
      const cut = standing.splice(cutOf(standing, step)).filter(({ turn }) => turn !== undefined);
      for (const { turn } of cut) undone.add(turn);
      rewinds.push(cut[0]);
    }
  }
  return { undone, rewinds };
}

function cutOf(standing: readonly Standing[], target: RewindTarget): number {
  if ('exchanges' in target) {
    const spoken = standing.flatMap((each, index) => (each.spoken === true ? [index] : []));
    return target.exchanges <= 0 ? standing.length : (spoken.at(-Math.ceil(target.exchanges)) ?? 0);
  }
  const name = 'from' in target ? target.from : target.after;
  const place = standing.findLastIndex((each) => each.name === name);
  if ('from' in target) return Math.max(0, place);
  const next = standing.findIndex((each, index) => index > place && each.name !== undefined);
  return place < 0 || next < 0 ? standing.length : next;
}
