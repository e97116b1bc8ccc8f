import { groupBy } from '../../core/group-by.js';
import { sha256 } from '../../core/hash.js';
import type { History, MessageEntry, RowId, SessionHistory } from './history.js';
import { type DataRow, isWholePart, type KnownPart, partOf, roleOf } from './schema.js';

/** A history with a message, and the ids of its parts that count; all without `only`. */
interface Copy {
  history: History;
  only?: ReadonlySet<string>;
}

interface Place {
  id: string;
  timeMs: number | undefined;
  /** The newest first. */
  copies: readonly Copy[];
}

interface Merged {
  places: readonly Place[];
  /** Ids of messages whose words and calls other messages contain. */
  renamed: readonly string[];
}

/**
 * One session that several histories contain: two databases, a database and the JSON files that its migration read, or
 * both layouts of an upgraded database. All its messages, each once. It is read when the first message is asked for.
 *
 * @param copies the newest first; its order and its text are taken where copies differ
 */
export function unionOf(sessionId: string, copies: readonly SessionHistory[]): History {
  const layouts = [...new Set(copies.map(({ layout }) => layout))];
  const [newest, ...others] = layouts.map((layout) => {
    const same = copies.filter((copy) => copy.layout === layout);
    const [only] = same;
    return same.length === 1 && only !== undefined ? only : new Union(same, () => sameIds(sessionId, same));
  });
  if (newest === undefined) throw new TypeError('a union of no histories');
  return others.reduce<History>(
    (whole, other) => new Union([whole, other], () => sameWords(sessionId, whole, other)),
    newest,
  );
}

class Union implements History {
  readonly path: string;
  #places: Map<string, Place> | undefined;
  #renamed: readonly string[] = [];

  constructor(
    private readonly copies: readonly History[],
    private readonly find: () => Merged,
  ) {
    this.path = copies[0]?.path ?? '';
  }

  #all(): Map<string, Place> {
    if (this.#places === undefined) {
      const { places, renamed } = this.find();
      this.#places = new Map(places.map((place) => [place.id, place]));
      this.#renamed = [...renamed, ...this.copies.flatMap((copy) => copy.renamedIds?.() ?? [])];
    }
    return this.#places;
  }

  renamedIds(): readonly string[] {
    const places = this.#all();
    return this.#renamed.filter((id) => !places.has(id));
  }

  messageList(): MessageEntry[] {
    return [...this.#all().values()].map(({ id, timeMs }) => ({ id, timeMs }));
  }

  #histories(messageId: string): History[] {
    return (this.#all().get(messageId)?.copies ?? []).map(({ history }) => history);
  }

  message(id: string, sessionId: string): DataRow | undefined {
    const rows = this.#histories(id).flatMap((history) => history.message(id, sessionId) ?? []);
    return rows.find(({ data }) => roleOf(data) !== undefined) ?? rows[0];
  }

  partIds(messageId: string): RowId[] {
    const copies = this.#all().get(messageId)?.copies ?? [];
    const found = copies.flatMap(({ history, only }) =>
      history.partIds(messageId).filter((id) => only === undefined || (id !== undefined && only.has(id))),
    );
    const ids = [...new Set(found)];
    // Ids of two layouts have no common order.
    const sorts = copies.length > 1 && copies.every(({ only }) => only === undefined);
    return sorts ? ids.sort((a = '', b = '') => (a < b ? -1 : 1)) : ids;
  }

  part(id: string, messageId: string): DataRow | undefined {
    const rows = this.#histories(messageId).flatMap((history) => history.part(id, messageId) ?? []);
    return rows.find(({ data }) => isWholePart(data)) ?? rows[0];
  }

  wholeOutput(path: string): string | undefined {
    for (const history of this.copies) {
      const whole = history.wholeOutput?.(path);
      if (whole !== undefined) return whole;
    }
    return undefined;
  }

  strayPartIds(sessionId: string): RowId[] {
    const stray = this.copies.flatMap((copy) => copy.strayPartIds?.(sessionId) ?? []);
    if (stray.length === 0) return [];
    const placed = new Set([...this.#all().keys()].flatMap((id) => this.partIds(id)));
    return [...new Set(stray)].filter((id) => !placed.has(id));
  }

  messageChangedMs(id: string): number {
    return Math.max(0, ...this.#histories(id).map((history) => history.messageChangedMs(id)));
  }
}

function sameIds(sessionId: string, histories: readonly History[]): Merged {
  // A history may contain parts of a message whose row it lacks.
  const copies = histories.map((history) => ({ history }));
  const places: Place[] = [];
  const known = new Set<string>();
  for (const [index, history] of histories.entries()) {
    for (const { id, timeMs } of history.messageList(sessionId)) {
      if (id === undefined || known.has(id)) continue;
      known.add(id);
      const place = { id, timeMs, copies };
      const later = index === 0 ? -1 : places.findIndex((other) => isLater(other, place));
      places.splice(later < 0 ? places.length : later, 0, place);
    }
  }
  return { places, renamed: [] };
}

function isLater(a: Place, b: Place): boolean {
  const [first, second] = [a.timeMs ?? 0, b.timeMs ?? 0];
  return first === second ? a.id > b.id : first > second;
}

/**
 * Histories of two layouts: an upgrade copies a session, with the same ids or new ones, and the session goes on. Words and
 * calls of the other history that the newest one contains are left out; its own ones come at their time.
 */
function sameWords(sessionId: string, newest: History, other: History): Merged {
  const places: Place[] = newest
    .messageList(sessionId)
    .flatMap(({ id, timeMs }) => (id === undefined ? [] : [{ id, timeMs, copies: [{ history: newest }] }]));
  const told = new Told();
  for (const [index, { id }] of places.entries())
    for (const { keys } of contentOf(newest, id, sessionId)) told.add(keys, index);
  const indexes = new Map(places.map(({ id }, index) => [id, index]));
  const own: { place: Place; after: number }[] = [];
  const renamed: string[] = [];
  let after = -1;
  for (const { id, timeMs } of other.messageList(sessionId)) {
    if (id === undefined) continue;
    const content = contentOf(other, id, sessionId);
    const lacking = new Set<string>();
    for (const { partId, keys } of content) {
      const found = told.take(keys);
      if (found === undefined) lacking.add(partId);
      else after = Math.max(after, found);
    }
    if (lacking.size === 0) {
      if (content.length > 0) renamed.push(id);
      continue;
    }
    const copy = { history: other, only: lacking };
    const same = indexes.get(id);
    const place = same === undefined ? undefined : places[same];
    if (same !== undefined && place !== undefined)
      places[same] = { ...place, copies: [...place.copies, copy] };
    else {
      // The newest history contains nothing of it: its thoughts and files are read too.
      const copies = [lacking.size === content.length ? { history: other } : copy];
      own.push({ place: { id, timeMs, copies }, after });
    }
  }
  return { places: inserted(places, own), renamed };
}

/** Each of the own messages after the one that it follows, and after those that are not later. */
function inserted(places: readonly Place[], own: readonly { place: Place; after: number }[]): Place[] {
  const byNext = groupBy(own, ({ place, after }) =>
    places.findIndex((next, index) => index > after && isLater(next, place)),
  );
  const before = (index: number) => (byNext.get(index) ?? []).map(({ place }) => place);
  return [...places.flatMap((place, index) => [...before(index), place]), ...before(-1)];
}

/** The parts of a history by their keys. Each can be found once. */
class Told {
  readonly #parts = new Map<string, { index: number; taken: boolean }[]>();

  add(keys: readonly string[], index: number): void {
    const part = { index, taken: false };
    for (const key of keys) this.#parts.set(key, [...(this.#parts.get(key) ?? []), part]);
  }

  /** The index of the message with such a part; undefined if all were found before. */
  take(keys: readonly string[]): number | undefined {
    for (const key of keys) {
      const part = this.#parts.get(key)?.find(({ taken }) => !taken);
      if (part === undefined) continue;
      part.taken = true;
      return part.index;
    }
    return undefined;
  }
}

/** Words and calls of a message; its thoughts and files only if there is nothing else. */
function contentOf(
  history: History,
  messageId: string,
  sessionId: string,
): { partId: string; keys: string[] }[] {
  const role = roleOf(history.message(messageId, sessionId)?.data) ?? '';
  const found = history.partIds(messageId).flatMap((partId) => {
    if (partId === undefined) return [];
    const part = partOf(history.part(partId, messageId)?.data);
    const content = part && keysOf(part, role);
    return content === undefined ? [] : [{ partId, ...content }];
  });
  const main = found.filter(({ aside }) => !aside);
  return main.length > 0 ? main : found;
}

/** Undefined for a part without content. `aside`: thoughts and files. */
function keysOf(part: KnownPart, role: string): { keys: string[]; aside: boolean } | undefined {
  const key = (...texts: unknown[]) => sha256(JSON.stringify([role, ...texts]));
  switch (part.type) {
    case 'text': {
      const text = part.text.replace(/\s+/g, ' ').trim();
      if (text === '' || part.synthetic === true || part.ignored === true) return undefined;
      return { keys: [key('text', text)], aside: false };
    }
    case 'reasoning':
      return { keys: [key('reasoning', part.text.trim())], aside: true };
    case 'subtask':
      return { keys: [key('text', part.prompt.replace(/\s+/g, ' ').trim())], aside: false };
    case 'file':
      return { keys: [key('file', part.filename ?? part.url)], aside: true };
    case 'tool': {
      const called = key('tool', part.tool, part.state.input ?? {});
      return { keys: part.callID ? [key('call', part.callID), called] : [called], aside: false };
    }
    case 'compaction':
      return undefined;
  }
}
