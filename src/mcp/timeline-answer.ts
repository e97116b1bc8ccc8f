import { jsonText, NOTICE } from '../core/outside.js';
import { QUARTERS, quartersOf } from '../core/tokens.js';
import { beginningWithin } from '../operations/budget.js';
import { sourceFor } from '../presentation/drawers.js';
import type { Drawer, Timeline } from '../service/contract/index.js';

type Row = Record<string, unknown>;
type ShortenedDrawer = Row & { drawer_id: string; text: string; cut?: true };

/** A shorter beginning of a text is useless, quarters of tokens. */
const LEAST_TEXT = 40 * QUARTERS;

/**
 * The answer of `mempalace_timeline`, at most `tokens` estimated tokens as JSON. The requested drawer comes first, whole
 * where it fits. Other parts are omitted when they do not fit, the least useful first: other sources of the day, then
 * neighbours from the farthest on, then the fields of the source.
 *
 * @param tokens at least 100
 * @param factsOf the fields of a drawer without its text, the most useful first
 */
export function timelineAnswer(
  { drawer, passage, count, previous, next, day, sameDay, sameDayTotal }: Timeline,
  tokens: number,
  factsOf: (drawer: Drawer) => Row,
) {
  const head = { drawer_id: drawer.drawerId, notice: NOTICE, day };
  const bare = { drawer_id: drawer.drawerId, asked_for: true };
  const room = new Room(tokens * QUARTERS - costOf({ ...head, drawers: [{ ...bare, text: '', cut: true }] }));
  const text = room.text(drawer.text);
  const { drawer_id: _, ...facts } = factsOf(drawer);
  const asked: ShortenedDrawer = { ...bare, ...text, ...room.fields(facts) };
  const source = room.field('source', {})
    ? { source: room.fields({ drawers: count, ...sourceFor(drawer) }) }
    : {};
  const beyond = room.fields({ previous, next });
  // A text cut at the end of a line may leave room, which belongs to its rest.
  if (text.cut === true) return { ...head, drawers: [asked], ...source, ...beyond };
  const drawers = [asked, ...neighbours(passage, drawer, room, factsOf)];
  const total = room.fields({ same_day_total: sameDayTotal });
  return { ...head, drawers, ...source, ...beyond, ...total, ...ofDay(sameDay, room) };
}

/** The drawers around one, in the order of their source. The nearest get room first. */
function neighbours(
  passage: readonly Drawer[],
  asked: Drawer,
  room: Room,
  factsOf: (drawer: Drawer) => Row,
): ShortenedDrawer[] {
  const distance = ({ chunkIndex }: Drawer): number => Math.abs(chunkIndex - asked.chunkIndex);
  const shown: { at: number; row: ShortenedDrawer }[] = [];
  for (const drawer of passage
    .filter(({ drawerId }) => drawerId !== asked.drawerId)
    .sort((a, b) => distance(a) - distance(b))) {
    const row = { drawer_id: drawer.drawerId, ...factsOf(drawer) };
    const bare = { ...row, text: '', cut: true };
    if (room.left - costOf(bare) <= Math.min(LEAST_TEXT, costOf(drawer.text))) break;
    room.item(bare);
    shown.push({ at: drawer.chunkIndex, row: { ...row, ...room.text(drawer.text) } });
  }
  return shown.sort((a, b) => a.at - b.at).map(({ row }) => row);
}

function ofDay(sources: Timeline['sameDay'], room: Room): { same_day?: Row[] } {
  if (!room.field('same_day', [])) return {};
  const shown: Row[] = [];
  for (const source of sources) {
    const { firstDrawerId, drawersOfDay } = source;
    const row = { ...sourceFor(source), first_drawer_id: firstDrawerId, drawers_of_day: drawersOfDay };
    if (!room.item(row)) break;
    shown.push(row);
  }
  return { same_day: shown };
}

/** The cost of a value as JSON, quarters of tokens. Costs of parts add up to the cost of the whole. */
const costOf = (value: unknown): number => quartersOf(jsonText(value));

/** The room that is left in an answer. Each part pays for a comma, needed or not. */
class Room {
  #left: number;

  constructor(quarters: number) {
    this.#left = quarters;
  }

  get left(): number {
    return this.#left;
  }

  /** Pays for an item of a list if it fits. */
  item(value: unknown): boolean {
    return this.#pay(costOf(value) + 1);
  }

  /** Pays for a key and its value if they fit. */
  field(name: string, value: unknown): boolean {
    return this.#pay(costOf(name) + costOf(value) + 2);
  }

  /** The fields that fit, without null. */
  fields(values: Row): Row {
    return Object.fromEntries(
      Object.entries(values).filter(([name, value]) => value !== null && this.field(name, value)),
    );
  }

  /** The beginning of a text that fits. Its key, its quotation marks and `cut` are paid for already. */
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
