import { appendFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../core/json.js';
import { moveIntoPlace, temporaryNextTo } from '../platform/atomic-write.js';
import { textOrEmpty } from '../platform/read-text.js';

/**
 * In the palace's folder: which drawers were found or opened, and how often on which day. It contains ids, days and counts,
 * and no text. It is not part of the palace: a read changes nothing in it, and without the file nothing is lost but the counts.
 */
export const USES_FILE = 'uses.jsonl';

const USES = ['found', 'opened'] as const;
export type Use = (typeof USES)[number];

/** Uses of one kind on one day, by drawer id. */
interface DayOfUses {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  use: Use;
  drawers: Record<string, number>;
}

/** A larger file is rewritten with one line per day and use, at most half as large. */
const MOST_BYTES = 1024 * 1024;

/**
 * Counts a use of each drawer, best-effort: a full disk, a folder that cannot be written, and a line that another process
 * appends while the file is rewritten lose counts, and nothing else.
 */
export function countUses(folder: string, use: Use, drawerIds: readonly string[], now = Date.now()): void {
  if (drawerIds.length === 0) return;
  const drawers = Object.fromEntries(drawerIds.map((id) => [id, 1]));
  const file = join(folder, USES_FILE);
  try {
    // One short write: lines of several processes do not mix.
    appendFileSync(file, lineOf({ day: new Date(now).toISOString().slice(0, 10), use, drawers }), {
      mode: 0o600,
    });
    if (statSync(file).size > MOST_BYTES) rewrite(file, shortened(merged(linesIn(file))));
  } catch {
    // A count is not worth an error.
  }
}

export interface KnownUses {
  /** The first day with a use; undefined without any. */
  since: string | undefined;
  drawers: Map<string, { found: number; opened: number; days: Set<string> }>;
}

/** Lines that cannot be read do not count. */
export function readUses(folder: string): KnownUses {
  const drawers: KnownUses['drawers'] = new Map();
  let since: string | undefined;
  for (const { day, use, drawers: counts } of linesIn(join(folder, USES_FILE))) {
    if (since === undefined || day < since) since = day;
    for (const [id, count] of Object.entries(counts)) {
      const known = drawers.get(id) ?? { found: 0, opened: 0, days: new Set() };
      known[use] += count;
      known.days.add(day);
      drawers.set(id, known);
    }
  }
  return { since, drawers };
}

/**
 * Removes the ids of drawers that do not exist, also those in lines that cannot be read and in copies of a killed program.
 *
 * @param existing those of the given ids that exist
 * @throws the file system's error
 */
export function pruneUses(folder: string, existing: (ids: readonly string[]) => ReadonlySet<string>): void {
  const file = join(folder, USES_FILE);
  const days = merged(linesIn(file));
  for (const name of readdirSync(folder))
    if (name.startsWith(`${USES_FILE}.`)) rmSync(join(folder, name), { force: true });
  const ids = new Set(textOrEmpty(file).match(/drawer_\w*/g));
  const kept = existing([...ids]);
  if (kept.size === ids.size) return;
  const left = days.map(({ drawers, ...day }) => ({
    ...day,
    drawers: Object.fromEntries(Object.entries(drawers).filter(([id]) => kept.has(id))),
  }));
  rewrite(file, left);
}

function linesIn(file: string): DayOfUses[] {
  return textOrEmpty(file)
    .split('\n')
    .flatMap((text) => dayOf(text) ?? []);
}

function dayOf(text: string): DayOfUses | undefined {
  const { day, use, drawers } = Object(parseJson(text));
  const known = USES.find((each) => each === use);
  if (typeof day !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(day) || known === undefined) return undefined;
  const counts = Object.entries(Object(drawers)).filter(
    (entry): entry is [string, number] => Number.isSafeInteger(entry[1]) && Number(entry[1]) > 0,
  );
  return { day, use: known, drawers: Object.fromEntries(counts) };
}

/** One per day and use, in the order of the days. */
function merged(lines: readonly DayOfUses[]): DayOfUses[] {
  const days = new Map<string, DayOfUses>();
  for (const { day, use, drawers } of lines) {
    const all = days.get(`${day} ${use}`) ?? { day, use, drawers: {} };
    for (const [id, count] of Object.entries(drawers)) all.drawers[id] = (all.drawers[id] ?? 0) + count;
    days.set(`${day} ${use}`, all);
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}

/** Without the oldest days, if it would be too large; the newest stays whole or in part. */
function shortened(days: readonly DayOfUses[]): DayOfUses[] {
  const kept: DayOfUses[] = [];
  let left = MOST_BYTES / 2;
  for (const day of [...days].reverse()) {
    const size = Buffer.byteLength(lineOf(day));
    if (size > left && kept.length > 0) break;
    if (size > left) {
      const entries = Object.entries(day.drawers).sort(([, a], [, b]) => b - a);
      const share = Math.floor((entries.length * left) / size);
      kept.push({ ...day, drawers: Object.fromEntries(entries.slice(0, share)) });
      break;
    }
    left -= size;
    kept.push(day);
  }
  return kept.reverse();
}

function rewrite(file: string, days: readonly DayOfUses[]): void {
  const temporary = temporaryNextTo(file);
  try {
    const used = days.filter(({ drawers }) => Object.keys(drawers).length > 0);
    writeFileSync(temporary, used.map(lineOf).join(''), { flag: 'wx', mode: 0o600 });
    moveIntoPlace(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function lineOf(day: DayOfUses): string {
  return `${JSON.stringify(day)}\n`;
}
