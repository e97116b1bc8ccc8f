import { dayOf } from '../core/day.js';
import type { Step } from '../core/metabolism.js';
import { REFLECTION_ROOM } from '../core/palace-rooms.js';
import type { MetabolicSource, Palace } from '../store/index.js';
import { type KnownUses, readUses } from '../uses/log.js';
import { propose, type Used } from './propose.js';

/** Uses that were counted for a shorter time do not show what is never used. */
export const LEAST_COUNTED_DAYS = 30;
/** Proposals per step: a person reads them. */
const MOST = 20;
const DAY_MS = 86_400_000;

interface Asked {
  least_uses: number;
  old_days: number;
  cold: readonly string[];
}

export const dayBefore = (days: number, now: Date): string => dayOf(now.getTime() - days * DAY_MS);

/** What is often used, proved itself, or was never used. It proposes, and changes nothing. */
export function proposalsIn(palace: Palace, { least_uses: leastUses, old_days, cold }: Asked, now: Date) {
  const { since = null, drawers } = readUses(palace.folder);
  return palace.snapshot(() => {
    const sources = palace.metabolism.sources();
    const observed = since !== null && since <= dayBefore(LEAST_COUNTED_DAYS, now);
    const limits = { leastUses, oldBefore: dayBefore(old_days, now), cold, observed };
    const taken = new Map<Step, number>();
    const proposals = propose(sources, bySource(palace, drawers), limits).filter(({ step }) => {
      taken.set(step, (taken.get(step) ?? 0) + 1);
      return (taken.get(step) ?? 0) <= MOST;
    });
    const roots = new Map(palace.projects.all().map(({ id, root }) => [id, root]));
    return { since, used: drawers.size, proposals, roots, wings: rootsOf(sources, roots) };
  });
}

function bySource(palace: Palace, drawers: KnownUses['drawers']): Map<number, Used> {
  const uses = new Map<number, Used & { most: number; on: Set<string> }>();
  for (const { drawer_id, source_id } of palace.metabolism.sourcesOf([...drawers.keys()])) {
    const one = drawers.get(drawer_id);
    if (one === undefined) continue;
    const { found, opened, days } = one;
    const all = uses.get(source_id) ?? {
      drawer_id,
      found: 0,
      opened: 0,
      days: 0,
      most: 0,
      on: new Set<string>(),
    };
    all.found += found;
    all.opened += opened;
    for (const day of days) all.on.add(day);
    if (found + opened > all.most) Object.assign(all, { drawer_id, most: found + opened });
    all.days = all.on.size;
    uses.set(source_id, all);
  }
  return new Map(
    [...uses].map(([id, { drawer_id, found, opened, days }]) => [id, { drawer_id, found, opened, days }]),
  );
}

function rootsOf(sources: readonly MetabolicSource[], roots: ReadonlyMap<string, string>): string[] {
  const wings = sources.filter(({ room }) => room === REFLECTION_ROOM);
  return [...new Set(wings.flatMap(({ project_id }) => roots.get(project_id ?? '') ?? []))].sort();
}
