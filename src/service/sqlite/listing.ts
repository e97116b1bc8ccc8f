import { join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { isOfKind, KEY_KIND } from '../../core/source-key.js';
import { secondText } from '../../knowledge/facts/index.js';
import { spentTokens } from '../../knowledge/summaries/read.js';
import { lockHolder, RUN_LOCK } from '../../platform/lock.js';
import { findTarget } from '../../reading/find.js';
import type { Palace } from '../../store/index.js';
import type { Input, Output } from '../contract/index.js';
import { Views } from './views.js';

export function status(palace: Palace, { runs: limit, shortWrites }: Input<'status'>): Output<'status'> {
  const { id, revision, dimension } = palace.model;
  return palace.snapshot(() => ({
    bytes: palace.bytes(),
    model: { id, revision, dimension },
    coverage: palace.vectors.coverage(),
    words: palace.renewal.progress(),
    rooms: palace.rooms(),
    feeders: palace.runs.byCommand(),
    runs: runsOf(palace, limit, { shortWrites }),
    warnings: palace.warnings(),
    tasks: palace.tasks.unfinished(),
    summaryTokens: spentTokens(palace, new Date()),
  }));
}

export function runs(palace: Palace, { limit, offset }: Input<'runs'>): Output<'runs'> {
  return { runs: runsOf(palace, limit, { offset }) };
}

const PULSE_RUNS = 10;

export function pulse(palace: Palace): Output<'pulse'> {
  return palace.snapshot(() => {
    const rooms = palace.rooms();
    const { triples: facts, current: currentFacts } = palace.facts.counts(secondText(new Date()));
    return {
      sources: rooms.reduce((sum, { sources }) => sum + sources, 0),
      drawers: rooms.reduce((sum, { drawers }) => sum + drawers, 0),
      facts,
      currentFacts,
      runs: runsOf(palace, PULSE_RUNS).map(({ versions: _, skipped: __, ...run }) => run),
    };
  });
}

function runsOf(palace: Palace, limit: number, which?: Parameters<Palace['runs']['latest']>[1]) {
  const holder = lockHolder(join(palace.folder, RUN_LOCK));
  const since = holder === undefined ? Number.POSITIVE_INFINITY : Date.parse(holder.since);
  return palace.runs.latest(limit, which).map((run) => ({
    ...run,
    // A run is recorded after it took the lock: one that was killed earlier is older than the lock.
    running: run.exitCode === null && run.startedMs >= since,
  }));
}

export function sources(palace: Palace, { filter, ...page }: Input<'sources'>): Output<'sources'> {
  return palace.snapshot(() => {
    const views = new Views(palace);
    const listed = palace.listing.sources(filter, page);
    return {
      sources: listed.map((source) => {
        const { day, filedAt, priority, priorityFrom, pinned } = source;
        return { ...views.source(source), day, filedAt, priority, priorityFrom, pinned: pinned === 1 };
      }),
      total: palace.listing.countSources(filter),
      types: listed.length > 0 || filter.type === undefined ? undefined : palace.listing.declaredTypes(),
    };
  });
}

export function places(palace: Palace, { wing }: Input<'places'>): Output<'places'> {
  const isIn = (place: { wing: string }) => wing === undefined || place.wing === wing;
  return palace.snapshot(() => ({
    wings: palace.listing.wings().filter(isIn),
    rooms: palace.rooms().filter(isIn),
  }));
}

export function roomMap(palace: Palace, { wing }: Input<'roomMap'>): Output<'roomMap'> {
  return { rooms: palace.listing.roomMap(wing) };
}

export function days(palace: Palace, input: Input<'days'>): Output<'days'> {
  return { days: palace.listing.days(input) };
}

/** Ids of one text's drawers in an answer, at most. */
const IDS_SHOWN = 20;

export function oneDrawer(palace: Palace, { id, within }: Input<'oneDrawer'>): Output<'oneDrawer'> {
  return palace.snapshot(() => {
    const target = findTarget(palace, id, [], within);
    if (target.kind === 'source')
      throw new UserError('usage', `${JSON.stringify(id)} is a source, not a drawer`, {
        hint: 'mempalace_show reads a whole source',
      });
    const { sourceId, sourceKey } = target.drawer;
    const drawer = new Views(palace).drawer(target.drawer);
    const content = isOfKind(sourceKey, KEY_KIND.drawer) ? palace.sources.textOf(sourceId) : drawer.text;
    return content === drawer.text
      ? { drawer }
      : { drawer, content, ids: idsOf(palace, sourceId).slice(0, IDS_SHOWN) };
  });
}

export function idsOf(palace: Palace, sourceId: number): string[] {
  const { drawers: count = 0 } = palace.reading.source(sourceId) ?? {};
  return palace.reading.drawersBetween(sourceId, 0, count).map(({ drawerId }) => drawerId);
}

export function drawers(palace: Palace, { filter, ...page }: Input<'drawers'>): Output<'drawers'> {
  return palace.snapshot(() => ({
    drawers: palace.listing.drawers(filter, page).map(({ drawerId, wing, room, sourceFile, day, text }) => ({
      ...{ drawerId, wing, room, sourceFile, day, text },
    })),
    total: palace.listing.countDrawers(filter),
  }));
}
