import { basename } from 'node:path';
import type { Priority } from '../../../core/importance.js';
import { parseDay } from '../../../core/moment.js';
import { BAR, NOTICE } from '../../../core/outside.js';
import {
  daysDocument,
  roomsDocument,
  runsDocument,
  sourcesDocument,
  wingsDocument,
} from '../../../presentation/listing.js';
import type { RunJson } from '../../../presentation/runs.js';
import type { PalaceService, ServiceCall } from '../../../service/contract/index.js';
import { formatSeconds, minuteOf, plural } from '../../../terminal/durations.js';
import { levels } from '../../../terminal/spark.js';
import { type Column, renderTable } from '../../../terminal/table.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import { shorten } from '../../../terminal/width.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

interface ListFlags extends CommonFlags {
  wing?: string;
  room?: string;
  type?: string;
  since?: string;
  priority?: Priority;
  limit?: number;
  offset?: number;
}

/** One page of a list: for `--json`, and as a table. */
interface Listed {
  document: { list: string; total: number | null; offset: number };
  columns: Column[];
  rows: string[][];
  /** A line below each row. */
  below?: string[];
}

const ROWS_SHOWN = 20;
const NUMBER: Column = { align: 'right' };

/** `mempalace list wings`. */
export const listWings = listing(async (service, call, { limit = null, offset = 0 }) => {
  const document = wingsDocument(await service.places({}, call), { limit, offset });
  return {
    document,
    columns: [{ style: 'cyan', share: 0.5 }, NUMBER, NUMBER, NUMBER],
    rows: document.wings.map(({ wing, rooms, sources, drawers }) => [
      BAR + line(wing),
      plural(drawers, 'drawer'),
      plural(sources, 'source'),
      plural(rooms, 'room'),
    ]),
  };
});

/** `mempalace list rooms`. */
export const listRooms = listing(async (service, call, { wing, limit = null, offset = 0 }) => {
  const document = roomsDocument(await service.places({ wing }, call), { limit, offset });
  return {
    document,
    columns: [{ style: 'cyan', share: 0.3 }, { share: 0.3 }, NUMBER, NUMBER],
    rows: document.rooms.map((room) => [
      BAR + line(room.wing),
      line(room.room),
      plural(room.drawers, 'drawer'),
      plural(room.sources, 'source'),
    ]),
  };
});

/** `mempalace list days`. */
export const listDays = listing(async (service, call, flags, terminal) => {
  const { wing, limit = ROWS_SHOWN, offset = 0 } = flags;
  const since = parseDay('--since', flags.since, new Date());
  const document = daysDocument(await service.days({ wing, since }, call), { limit, offset });
  const bars = levels(document.days.map(({ drawers }) => drawers));
  return {
    document,
    columns: [{}, ...pictured(terminal), NUMBER, NUMBER, { share: 0.4 }],
    rows: document.days.map(({ day, sources, drawers, wings }, index) => [
      day,
      ...pictured(terminal).map(() => bars[index] ?? ''),
      plural(sources, 'source'),
      plural(drawers, 'drawer'),
      BAR + wings.map(({ wing }) => line(wing)).join(', '),
    ]),
  };
});

/** The column for a bar per row, where the terminal shows one. */
function pictured({ draws }: Terminal): Column[] {
  return draws ? [{ style: 'cyan' }] : [];
}

/** `mempalace list sources`. */
export const listSources = listing(async (service, call, flags, terminal) => {
  const { wing, room, type, priority, limit = ROWS_SHOWN, offset = 0 } = flags;
  const page = { limit, offset };
  const found = await service.sources({ filter: { wing, room, type, priority }, ...page }, call);
  const document = sourcesDocument(found, page);
  const shown = document.sources.map((source) => ({
    day: source.date,
    place: BAR + line(`${source.wing}/${source.room}`),
    name: line(source.title ?? '') || line(basename(source.source_file)),
    size: plural(source.drawers, 'drawer'),
    key: line(source.source_key),
    id: line(source.session_id ?? source.source_key),
  }));
  if (terminal.width === undefined)
    return {
      document,
      columns: [],
      rows: shown.map((row) => [row.day, row.place, row.name, row.size, row.key]),
    };
  // The key for `mempalace show` does not fit next to the title, so it is printed below.
  const rows = shown.map(({ day, size, name }) => [day, size, BAR + name]);
  const below = shown.map(({ place, id }) => `${place}  ${id}`);
  return { document, columns: [{}, NUMBER, { style: 'bold' }], rows, below };
});

/** `mempalace list runs`. */
export const listRuns = listing(async (service, call, { limit = ROWS_SHOWN, offset = 0 }, terminal) => {
  const page = { limit, offset };
  const document = runsDocument(await service.runs(page, call), page);
  const filed = levels(document.runs.map(({ drawers_added }) => drawers_added ?? 0));
  return {
    document,
    columns: [NUMBER, {}, ...pictured(terminal), { share: 0.25 }, {}, { style: 'dim', share: 0.4 }],
    rows: document.runs.map((run, index) => [
      String(run.id),
      minuteOf(run.started),
      ...pictured(terminal).map(() => filed[index] ?? ''),
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

function listing(
  listed: (
    service: PalaceService,
    call: ServiceCall,
    flags: ListFlags,
    terminal: Terminal,
  ) => Promise<Listed>,
): (context: CommandContext, flags: ListFlags) => Promise<void> {
  return (context, flags) =>
    withService(context, async (service, call) => {
      const { terminal } = context;
      const { document, columns, rows, below } = await listed(service, call, flags, terminal);
      terminal.json(document);
      if (terminal.options.json) return;
      const { list: what, total, offset } = document;
      const { width, style } = terminal;
      if (what !== 'runs' && rows.length > 0) terminal.note(`${what} (${NOTICE})`);
      for (const [index, row] of renderTable(rows, columns, { width, paint: style }).entries()) {
        terminal.data(row);
        if (below !== undefined)
          terminal.data(style('dim', `  ${shorten(below[index] ?? '', (width ?? 0) - 2)}`));
      }
      const shown = offset + rows.length;
      if (rows.length === 0) terminal.note(offset > 0 ? `no ${what} from ${offset + 1} on` : `no ${what}`);
      else if (total !== null && shown < total)
        terminal.note(`${offset + 1}–${shown} of ${total}; --offset ${shown} shows more`);
    });
}
