import { jsonText, NOTICE } from '../core/outside.js';
import { sourceFor } from '../presentation/drawers.js';
import type { DrawerPlace, Timeline } from '../reading/index.js';
import { QUARTERS, quartersOf } from '../reading/tokens.js';
import type { DrawerView, SourceOfDay } from '../store/index.js';
import { beginningWithin } from './budget.js';

type Row = Record<string, unknown>;
/** A drawer with as much of its text as there was room for. */
type ToldDrawer = Row & { drawer_id: string; text: string; cut?: true };

/** Quarters of tokens below which a beginning of a text says nothing. */
const LEAST_TEXT = 40 * QUARTERS;

/**
 * The answer of `mempalace_timeline` in at most so many estimated tokens, as JSON. What there is no room for is left out,
 * the least useful first: other sources of the day, then neighbours from the farthest on, then what is known of the
 * source.
 *
 * @param tokens at least 100
 * @param factsOf the fields of a drawer besides its id and text, the most useful first
 */
export function timelineAnswer(timeline: Timeline, tokens: number, factsOf: (drawer: DrawerView) => Row) {
  const { drawer, day, sameDay, sameDayTotal } = timeline;
  const head = { drawer_id: drawer.drawerId, notice: NOTICE, day };
  const { room, ...answer } = drawerAnswer(timeline, head, tokens, factsOf);
  if (answer.drawers[0]?.cut === true) return { ...head, ...answer };
  return { ...head, ...answer, ...room.fields({ same_day_total: sameDayTotal }), ...ofDay(sameDay, room) };
}

/**
 * A drawer, its neighbours and its source in at most so many estimated tokens. The drawer that was asked for comes first,
 * and whole where it fits at all.
 *
 * @param head what the answer says in any case
 * @returns with the room that is left
 */
export function drawerAnswer(
  { drawer, passage, count, previous, next }: DrawerPlace,
  head: Row,
  tokens: number,
  factsOf: (drawer: DrawerView) => Row,
) {
  const bare = { drawer_id: drawer.drawerId, asked_for: true };
  const room = new Room(tokens * QUARTERS - costOf({ ...head, drawers: [{ ...bare, text: '', cut: true }] }));
  const text = room.text(drawer.text);
  const { drawer_id: _, ...facts } = factsOf(drawer);
  const asked: ToldDrawer = { ...bare, ...text, ...room.fields(facts) };
  const source = room.field('source', {})
    ? { source: room.fields({ drawers: count, ...sourceFor(drawer) }) }
    : {};
  const beyond = room.fields({ previous, next });
  // A text that ends with a line may leave room, which belongs to its rest.
  const others = text.cut === true ? [] : neighbours(passage, drawer, room, factsOf);
  return { drawers: [asked, ...others], ...source, ...beyond, room };
}

/** Drawers around one, in the order of their source: the nearest come first to what room there is. */
function neighbours(
  passage: readonly DrawerView[],
  asked: DrawerView,
  room: Room,
  factsOf: (drawer: DrawerView) => Row,
): ToldDrawer[] {
  const distance = ({ chunkIndex }: DrawerView): number => Math.abs(chunkIndex - asked.chunkIndex);
  const told: { at: number; row: ToldDrawer }[] = [];
  for (const drawer of passage
    .filter(({ id }) => id !== asked.id)
    .sort((a, b) => distance(a) - distance(b))) {
    const row = { drawer_id: drawer.drawerId, ...factsOf(drawer) };
    const bare = { ...row, text: '', cut: true };
    if (room.left - costOf(bare) <= Math.min(LEAST_TEXT, costOf(drawer.text))) break;
    room.item(bare);
    told.push({ at: drawer.chunkIndex, row: { ...row, ...room.text(drawer.text) } });
  }
  return told.sort((a, b) => a.at - b.at).map(({ row }) => row);
}

function ofDay(sources: readonly SourceOfDay[], room: Room): { same_day?: Row[] } {
  if (!room.field('same_day', [])) return {};
  const told: Row[] = [];
  for (const source of sources) {
    const { firstDrawerId, drawersOfDay } = source;
    const row = { ...sourceFor(source), first_drawer_id: firstDrawerId, drawers_of_day: drawersOfDay };
    if (!room.item(row)) break;
    told.push(row);
  }
  return { same_day: told };
}

/** Of a value as JSON, in quarters of tokens: they add up, so that parts weigh what the whole weighs. */
const costOf = (value: unknown): number => quartersOf(jsonText(value));

/** What is left of an answer's length. Each part pays for a comma, whether one follows or not. */
class Room {
  #left: number;

  constructor(quarters: number) {
    this.#left = quarters;
  }

  get left(): number {
    return this.#left;
  }

  /** Pays for an item of a list that has room. */
  item(value: unknown): boolean {
    return this.#pay(costOf(value) + 1);
  }

  /** Pays for a key and its value where both have room. */
  field(name: string, value: unknown): boolean {
    return this.#pay(costOf(name) + costOf(value) + 2);
  }

  /** Of some fields those that have room; null is none. */
  fields(values: Row): Row {
    return Object.fromEntries(
      Object.entries(values).filter(([name, value]) => value !== null && this.field(name, value)),
    );
  }

  /** As much of a text as has room. Its key, its quotation marks and the mark of a cut are paid for. */
  text(whole: string): { text: string; cut?: true } {
    const quotes = costOf('');
    const text = beginningWithin(whole, this.#left, (part) => costOf(part) - quotes);
    this.#pay(costOf(text) - quotes);
    return text === whole ? { text } : { text, cut: true };
  }

  #pay(quarters: number): boolean {
    if (quarters > this.#left) return false;
    this.#left -= quarters;
    return true;
  }
}
