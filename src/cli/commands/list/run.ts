import { basename, join } from 'node:path';
import type { Priority } from '../../../core/importance.js';
import { BAR, NOTICE } from '../../../core/outside.js';
import { lockHolder } from '../../../platform/lock.js';
import { sourceJson } from '../../../presentation/drawers.js';
import { type RunJson, runJson } from '../../../presentation/runs.js';
import type { ListedSource, Palace } from '../../../store/index.js';
import { formatSeconds, minuteOf, plural } from '../../app/durations.js';
import { withPalace } from '../../app/open-palace.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { type Column, renderTable } from '../../terminal/table.js';
import { line, type Terminal } from '../../terminal/terminal.js';
import { shorten } from '../../terminal/width.js';

interface ListFlags extends CommonFlags {
  wing?: string;
  room?: string;
  type?: string;
  priority?: Priority;
  limit?: number;
  offset?: number;
}

/** One page of a list: for `--json`, and as a table. */
interface Listed {
  json: { total: number | null; rows: unknown[] };
  columns: Column[];
  rows: string[][];
  /** A line below each row. */
  below?: string[];
}

const ROWS_SHOWN = 20;
const NUMBER: Column = { align: 'right' };

/** `mempalace list wings`. */
export const listWings = listing('wings', (palace, { limit, offset = 0 }) => {
  const all = palace.listing.wings();
  const wings = page(all, limit, offset);
  return {
    json: { total: all.length, rows: wings },
    columns: [{ style: 'cyan', share: 0.5 }, NUMBER, NUMBER, NUMBER],
    rows: wings.map(({ wing, rooms, sources, drawers }) => [
      BAR + line(wing),
      plural(drawers, 'drawer'),
      plural(sources, 'source'),
      plural(rooms, 'room'),
    ]),
  };
});

/** `mempalace list rooms`. */
export const listRooms = listing('rooms', (palace, { wing, limit, offset = 0 }) => {
  const all = palace.rooms().filter((room) => wing === undefined || room.wing === wing);
  const rooms = page(all, limit, offset);
  return {
    json: { total: all.length, rows: rooms },
    columns: [{ style: 'cyan', share: 0.3 }, { share: 0.3 }, NUMBER, NUMBER],
    rows: rooms.map((room) => [
      BAR + line(room.wing),
      line(room.room),
      plural(room.drawers, 'drawer'),
      plural(room.sources, 'source'),
    ]),
  };
});

/** `mempalace list sources`. */
export const listSources = listing('sources', (palace, flags, terminal) => {
  const { limit = ROWS_SHOWN, offset = 0 } = flags;
  const place = { wing: flags.wing, room: flags.room, type: flags.type, priority: flags.priority };
  const sources = palace.listing.sources(place, { limit, offset });
  const json = { total: palace.listing.countSources(place), rows: sources.map(sourceRow) };
  const shown = sources.map(({ wing, room, title, sourceFile, drawers, day, sourceKey, sessionId }) => ({
    day,
    place: BAR + line(`${wing}/${room}`),
    name: line(title ?? '') || line(basename(sourceFile)),
    size: plural(drawers, 'drawer'),
    key: line(sourceKey),
    id: line(sessionId ?? sourceKey),
  }));
  if (terminal.width === undefined)
    return { json, columns: [], rows: shown.map((row) => [row.day, row.place, row.name, row.size, row.key]) };
  // The key for `mempalace show` does not fit next to the title, so it is printed below.
  const rows = shown.map(({ day, size, name }) => [day, size, BAR + name]);
  const below = shown.map(({ place, id }) => `${place}  ${id}`);
  return { json, columns: [{}, NUMBER, { style: 'bold' }], rows, below };
});

function sourceRow(source: ListedSource): Record<string, unknown> {
  return {
    ...sourceJson(source, source.drawers),
    date: source.day,
    chars: source.chars,
    filed_at: source.filedAt,
    priority: source.priority,
    priority_from: source.priorityFrom,
    pinned: source.pinned === 1,
  };
}

/** `mempalace list runs`. */
export const listRuns = listing('runs', (palace, { limit = ROWS_SHOWN, offset = 0 }) => {
  const holder = lockHolder(join(palace.folder, 'run.lock'));
  const runs = palace.runs.latest(limit, { offset }).map((run) => runJson(run, holder));
  return {
    json: { total: null, rows: runs },
    columns: [NUMBER, {}, { share: 0.25 }, {}, { style: 'dim', share: 0.4 }],
    rows: runs.map((run) => [
      String(run.id),
      minuteOf(run.started),
      line(run.command),
      run.exit_code === null ? (run.running ? 'running' : 'did not end') : `exit ${run.exit_code}`,
      whatItDid(run),
    ]),
  };
});

/** A run that was stopped has no counts. */
function whatItDid(run: RunJson): string {
  const counts: [number | null, string][] = [
    [run.new, 'new'],
    [run.changed, 'changed'],
    [run.removed, 'removed'],
  ];
  const parts = counts.flatMap(([count, name]) => (count ? [`${count} ${name}`] : []));
  if (run.new !== null && parts.length === 0) parts.push('nothing new');
  if (run.drawers_added) parts.push(`${plural(run.drawers_added, 'drawer')} filed`);
  if (run.seconds !== null) parts.push(formatSeconds(run.seconds));
  return parts.join(', ');
}

function page<T>(all: readonly T[], limit: number | undefined, offset: number): T[] {
  return all.slice(offset, limit === undefined ? undefined : offset + limit);
}

function listing(
  what: 'wings' | 'rooms' | 'sources' | 'runs',
  listed: (palace: Palace, flags: ListFlags, terminal: Terminal) => Listed,
): (context: CommandContext, flags: ListFlags) => Promise<void> {
  const paged = what === 'sources' || what === 'runs';
  return (context, flags) =>
    withPalace(context, (palace) => {
      const { terminal } = context;
      const { offset = 0, limit = paged ? ROWS_SHOWN : null } = flags;
      const { json, columns, rows, below } = palace.snapshot(() => listed(palace, flags, terminal));
      terminal.json({ list: what, total: json.total, offset, limit, [what]: json.rows });
      if (terminal.options.json) return;
      const { width, style } = terminal;
      if (what !== 'runs' && rows.length > 0) terminal.note(`${what} (${NOTICE})`);
      for (const [index, row] of renderTable(rows, columns, { width, paint: style }).entries()) {
        terminal.data(row);
        if (below !== undefined)
          terminal.data(style('dim', `  ${shorten(below[index] ?? '', (width ?? 0) - 2)}`));
      }
      const shown = offset + rows.length;
      if (rows.length === 0) terminal.note(offset > 0 ? `no ${what} from ${offset + 1} on` : `no ${what}`);
      else if (json.total !== null && shown < json.total)
        terminal.note(`${offset + 1}–${shown} of ${json.total}; --offset ${shown} shows more`);
    });
}
