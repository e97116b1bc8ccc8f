import { REFLECTION_ROOM } from '../../core/palace-rooms.js';
import { propose, type Used } from '../../metabolism/propose.js';
import type { MetabolicSource, Palace } from '../../store/index.js';
import { type KnownUses, readUses } from '../../uses/log.js';
import type { Input, Output } from '../contract/index.js';

/** Proposals per step: a person reads them. */
const MOST = 20;
const PASSAGE_CHARS = 2_000;

export function metabolism(palace: Palace, input: Input<'metabolism'>): Output<'metabolism'> {
  const { since, drawers } = readUses(palace.folder);
  return palace.snapshot(() => {
    const sources = palace.metabolism.sources();
    const uses = bySource(palace, drawers);
    const observed = since !== undefined && since <= input.countedBefore;
    const all = propose(sources, uses, { ...input, observed });
    const roots = new Map(palace.projects.all().map(({ id, root }) => [id, root]));
    const taken = new Map<string, number>();
    const proposals = all.filter(({ step }) => {
      taken.set(step, (taken.get(step) ?? 0) + 1);
      return (taken.get(step) ?? 0) <= MOST;
    });
    return {
      since: since ?? null,
      used: drawers.size,
      proposals: proposals.map(({ projectId, ...proposal }) => ({
        ...proposal,
        passage: proposal.drawerId && (palace.metabolism.passageOf(proposal.drawerId, PASSAGE_CHARS) ?? null),
        root: roots.get(projectId ?? '') ?? null,
      })),
      reflectionWings: rootsOf(sources, roots),
    };
  });
}

function bySource(palace: Palace, drawers: KnownUses['drawers']): Map<number, Used> {
  const uses = new Map<number, Used & { most: number; on: Set<string> }>();
  for (const { drawerId, sourceId } of palace.metabolism.sourcesOf([...drawers.keys()])) {
    const one = drawers.get(drawerId);
    if (one === undefined) continue;
    const { found, opened, days } = one;
    const all = uses.get(sourceId) ?? {
      drawerId,
      found: 0,
      opened: 0,
      days: 0,
      most: 0,
      on: new Set<string>(),
    };
    all.found += found;
    all.opened += opened;
    for (const day of days) all.on.add(day);
    if (found + opened > all.most) Object.assign(all, { drawerId, most: found + opened });
    all.days = all.on.size;
    uses.set(sourceId, all);
  }
  return new Map(
    [...uses].map(([id, { drawerId, found, opened, days }]) => [id, { drawerId, found, opened, days }]),
  );
}

function rootsOf(sources: readonly MetabolicSource[], roots: ReadonlyMap<string, string>): string[] {
  const wings = sources.filter(({ room }) => room === REFLECTION_ROOM);
  return [...new Set(wings.flatMap(({ projectId }) => roots.get(projectId ?? '') ?? []))].sort();
}
