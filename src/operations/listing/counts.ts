/** Drawers by name, as agents are told. */

type Counted = readonly (readonly [name: string, drawers: number])[];

/** Names in a list. */
const MOST = 500;

/** Number of drawers per name, largest first. */
export function sums<Room extends { drawers: number }>(
  rooms: readonly Room[],
  nameOf: (room: Room) => string,
): [string, number][] {
  const drawers = new Map<string, number>();
  for (const room of rooms) drawers.set(nameOf(room), (drawers.get(nameOf(room)) ?? 0) + room.drawers);
  return [...drawers].sort(([, a], [, b]) => b - a);
}

/** The first drawer counts, and the number of names that are not shown. */
export function named<Key extends string>(key: Key, drawers: Counted, most = MOST) {
  const shown = { [key]: Object.fromEntries(drawers.slice(0, most)) } as Record<Key, Record<string, number>>;
  return { ...shown, ...notShown(key, drawers.length - most) };
}

function notShown(key: string, count: number): Record<string, number> {
  return count > 0 ? { [`${key}_not_shown`]: count } : {};
}

interface Wing {
  wing: string;
  rooms: readonly { room: string; drawers: number }[];
}

/** The drawer counts of the largest rooms, by wing. */
export function taxonomy(wings: readonly Wing[]) {
  const all = wings.flatMap(({ rooms }) => rooms).sort((a, b) => b.drawers - a.drawers);
  const shown = new Set(all.slice(0, MOST));
  const tree = wings.flatMap(({ wing, rooms }) => {
    const counts = rooms.filter((each) => shown.has(each)).map(({ room, drawers }) => [room, drawers]);
    return counts.length === 0 ? [] : [[wing, Object.fromEntries(counts)]];
  });
  return { taxonomy: Object.fromEntries(tree), ...notShown('rooms', all.length - MOST) };
}
