import { jsonText, NOTICE } from '../../core/outside.js';
import { QUARTERS, quartersOf } from '../../core/tokens.js';
import { beginningWithin } from '../budget.js';
import { type Drawer, drawerFor, type Source, sourceFor } from '../source.js';

type Row = Record<string, unknown>;
type ShortenedDrawer = Row & { drawer_id: string; text: string; cut?: true };

interface Timeline {
  drawer_id: string;
  day: string;
  source: Source;
  drawers: (Drawer & { marked: boolean })[];
  previous: string | null;
  next: string | null;
  same_day: Source[];
  same_day_total: number;
}

/** A shorter beginning of a text is useless, quarters of tokens. */
const LEAST_TEXT = 40 * QUARTERS;

/**
 * The answer of `mempalace_timeline`, at most `tokens` estimated tokens as JSON. The requested drawer comes first, whole
 * where it fits. Other parts are omitted when they do not fit, the least useful first: other sources of the day, then
 * neighbours from the farthest on, then the fields of the source.
 *
 * @param tokens at least 100
 */
export function timelineAnswer({ drawer_id, day, source, drawers, ...more }: Timeline, tokens: number) {
  const marked = drawers.find((each) => each.marked);
  if (marked === undefined) throw new Error(`${drawer_id} is not in its passage`);
  const factsOf = ({ marked: _, ...drawer }: Timeline['drawers'][number]) => drawerFor(drawer, source);
  const head = { drawer_id, notice: NOTICE, day };
  const bare = { drawer_id, asked_for: true };
  const room = new Room(tokens * QUARTERS - costOf({ ...head, drawers: [{ ...bare, text: '', cut: true }] }));
  const text = room.text(marked.text);
  const { drawer_id: _, ...facts } = factsOf(marked);
  const asked: ShortenedDrawer = { ...bare, ...text, ...room.fields(facts) };
  const place = room.field('source', {})
    ? { source: room.fields({ drawers: source.drawers, ...sourceFor(source) }) }
    : {};
  const beyond = room.fields({ previous: more.previous, next: more.next });
  // A text cut at the end of a line may leave room, which belongs to its rest.
  if (text.cut === true) return { ...head, drawers: [asked], ...place, ...beyond };
  const distance = ({ chunk_index }: Drawer): number => Math.abs(chunk_index - marked.chunk_index);
  // The nearest get room first.
  const nearest = drawers.filter((each) => !each.marked).sort((a, b) => distance(a) - distance(b));
  const around: { at: number; row: ShortenedDrawer }[] = [];
  for (const drawer of nearest) {
    const row = { drawer_id: drawer.drawer_id, ...factsOf(drawer) };
    const bare = { ...row, text: '', cut: true };
    if (room.left - costOf(bare) <= Math.min(LEAST_TEXT, costOf(drawer.text))) break;
    room.item(bare);
    around.push({ at: drawer.chunk_index, row: { ...row, ...room.text(drawer.text) } });
  }
  const rows = around.sort((a, b) => a.at - b.at).map(({ row }) => row);
  const total = room.fields({ same_day_total: more.same_day_total });
  return { ...head, drawers: [asked, ...rows], ...place, ...beyond, ...total, ...ofDay(more.same_day, room) };
}

function ofDay(sources: readonly Source[], room: Room): { same_day?: Row[] } {
  if (!room.field('same_day', [])) return {};
  const shown: Row[] = [];
  for (const source of sources) {
    const row = sourceFor(source);
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
