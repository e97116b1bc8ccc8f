import { dayOfText } from '../../core/day.js';
import { groupBy } from '../../core/group-by.js';
import { sha256 } from '../../core/hash.js';
import { buildSourceKey, KEY_KIND } from '../../core/source-key.js';
import type { DrawerFacts, TheirDrawer } from './rows.js';

/** Drawers of MemPalace that become one source, in order. */
export type Group = ReturnType<typeof groupOf>;

const DEFAULT_WING = 'wing_imported';
const DEFAULT_ROOM = 'general';
const KEY_DIGITS = 24;
const ROOM_CHARS = 100;
const WING = /^(?!\.{1,2}$)[^/\\\p{Cc}]+$/u;
const WING_BYTES = 200;

/** Groups the drawers of one file, session or entry. The groups are in the order of their first drawers. */
export function groupDrawers(drawers: readonly TheirDrawer[]): Group[] {
  const groups = groupBy(drawers, (drawer) => JSON.stringify(identityOf(drawer)));
  return [...groups].map(([identity, members]) => groupOf(identity, members.sort(inOrder)));
}

function identityOf({ id, facts }: TheirDrawer): (string | undefined)[] {
  const { source_file: file, parent_drawer_id, parent_entry_id, session_id, message_uuid } = facts;
  const place = [facts.wing ?? '', facts.room ?? ''];
  if (parent_drawer_id !== undefined) return ['drawer', parent_drawer_id];
  if (parent_entry_id !== undefined && facts.chunk_index !== undefined) return ['entry', parent_entry_id];
  if (message_uuid !== undefined) return ['sweep', file ?? '', session_id ?? ''];
  const placed = facts.chunk_index ?? facts.entry_index;
  if (file === undefined || placed === undefined || facts.type === 'diary_entry') return ['one', id];
  return ['file', file, ...place, facts.ingest_mode ?? '', facts.extract_mode ?? ''];
}

function inOrder(a: TheirDrawer, b: TheirDrawer): number {
  const [x, y] = [a.facts, b.facts];
  const byNumber =
    (x.entry_index ?? 0) - (y.entry_index ?? 0) ||
    (x.chunk_index ?? x.entry_chunk_index ?? 0) - (y.chunk_index ?? y.entry_chunk_index ?? 0);
  if (byNumber !== 0) return byNumber;
  const [then, now] = [x.timestamp ?? '', y.timestamp ?? ''];
  return then < now ? -1 : then > now ? 1 : a.row - b.row;
}

function groupOf(identity: string, drawers: TheirDrawer[]) {
  const facts = drawers[0]?.facts ?? {};
  const id = drawers[0]?.id ?? '';
  const parent = facts.parent_drawer_id ?? facts.parent_entry_id;
  const file = facts.source_file;
  const name = nameOf(file ?? facts.topic ?? facts.type ?? 'drawer');
  const owner = sha256(identity).slice(0, KEY_DIGITS);
  return {
    /** `mempalace:<digits>/<name>`, independent of the path of the palace. */
    sourceKey: buildSourceKey({ kind: KEY_KIND.imported, owner, name }),
    /** A path as MemPalace stores it, or `mempalace://<id>`. */
    origin: file ?? `mempalace://${parent ?? id}`,
    wing: isWing(facts.wing) ? facts.wing : DEFAULT_WING,
    room: facts.room?.replace(/\p{Cc}+/gu, ' ').slice(0, ROOM_CHARS) ?? DEFAULT_ROOM,
    title: file === undefined ? facts.topic : undefined,
    contentDate: dayOf(facts),
    mtimeMs: momentOf(facts),
    /** Whether drawers that do not overlap are slices of one text. Otherwise they are passages. */
    sliced: parent !== undefined || facts.ingest_mode === 'convos',
    drawers,
    /** Common id of the drawers: that of an entry that was filed in slices. */
    parent: parent === id ? undefined : parent,
  };
}

function isWing(name: string | undefined): name is string {
  return name !== undefined && WING.test(name) && Buffer.byteLength(name) <= WING_BYTES;
}

/** The last part of a path. Its extension decides how the text is cut. */
function nameOf(path: string): string {
  const last = path.split(/[/\\]+/).findLast((part) => part !== '') ?? '';
  return last.replace(/[\p{Cc}\p{Cf}\p{Surrogate}]+/gu, '').slice(-120) || 'drawer';
}

function dayOf({ content_date, date, timestamp, filed_at }: DrawerFacts): string | undefined {
  for (const text of [content_date, date, timestamp, filed_at]) {
    const day = text === undefined ? undefined : dayOfText(text);
    if (day !== undefined) return day;
  }
  return undefined;
}

/** In epoch milliseconds. MemPalace stores seconds, or ISO 8601 without a zone. */
function momentOf({ source_mtime, timestamp, filed_at, date }: DrawerFacts): number {
  if (source_mtime !== undefined && source_mtime > 0 && source_mtime < 8.64e12) return source_mtime * 1000;
  for (const time of [timestamp, filed_at, date]) {
    if (time === undefined) continue;
    const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(time) || time.length <= 10;
    const parsed = Date.parse(zoned ? time : `${time}Z`);
    if (!Number.isNaN(parsed)) return parsed;
  }
  return 0;
}
