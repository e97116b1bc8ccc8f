import { UserError } from '../../core/errors.js';
import { isOfKind, KEY_KIND } from '../../core/source-key.js';
import { secondText } from '../../knowledge/facts/index.js';
import { findTarget } from '../../reading/find.js';
import type { Palace } from '../../store/index.js';
import type { Input, Output } from '../contract/index.js';
import { recentRuns } from '../palace/runs.js';
import { Views } from './views.js';

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
      runs: recentRuns(palace, PULSE_RUNS).map(({ versions: _, skipped: __, ...run }) => run),
    };
  });
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
