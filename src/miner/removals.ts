import { relative, sep } from 'node:path';
import type { Batch, Skipped } from '../core/contract.js';
import { plural } from '../core/plural.js';
import { documentKey, pathOfKey } from '../core/source-key.js';
import type { FiledSource, Palace } from '../store/index.js';

/** More removals than this, and more than this share of a project, are not done unasked. */
const REMOVALS_UNASKED = 20;
const SHARE_UNASKED = 0.5;

export interface Removals {
  sources: FiledSource[];
  /** Why they may not be removed now; nothing is then. */
  heldBack: Skipped | undefined;
}

/** What this run knows beyond one batch. */
export interface RunContext {
  /** Keys that any batch of the run lists: none of them is gone. */
  listed: ReadonlySet<string>;
  /** Keys that this run could not file as their batch has them. */
  failed: ReadonlySet<string>;
}

/**
 * What a complete batch no longer lists of its project: deleted, renamed, or no longer a document. Sources
 * of projects that it absorbs leave too, since it lists them under its own keys. A text that the batch
 * holds under another name is not lost, and does not count towards the limit. When a document of the batch
 * could not be filed nothing is removed: what is gone may be that document under its former name. Documents
 * of it that a project around it still holds are this project's now, and leave that one.
 */
export function planRemovals(
  batch: Batch,
  palace: Palace,
  allowRemovals: boolean,
  run?: RunContext,
): Removals {
  const { complete, sources } = batch;
  if (complete === undefined) return { sources: [], heldBack: undefined };
  const listed = run?.listed ?? new Set(sources.map((source) => source.sourceKey));
  const held = [
    ...palace.sources
      .ofProject(complete.project)
      .map((source) => ({ source, path: pathOfKey(source.sourceKey) })),
    ...absorbedBy(batch, palace),
  ];
  const gone = held
    .filter(({ path }) => wasSeen(path, complete.folder, complete.unread))
    .flatMap(({ source }) => (listed.has(source.sourceKey) ? [] : [source]));
  const outer = takenFromOuter(batch, palace, run?.failed);
  const others = outer.length + gone.filter(({ projectId }) => projectId !== complete.project).length;
  const detail =
    batch.guarded === true && others > 0
      ? `${others} documents of other projects would leave: --allow-removals removes them`
      : reasonToKeep(batch, gone, held.length, allowRemovals, run?.failed);
  if (detail === undefined) return { sources: [...gone, ...outer], heldBack: undefined };
  const origin = batch.project?.root ?? complete.project;
  return { sources: [], heldBack: { origin, reason: 'removals held back', detail, problem: true } };
}

function reasonToKeep(
  { sources }: Batch,
  gone: readonly FiledSource[],
  total: number,
  allowRemovals: boolean,
  failed: ReadonlySet<string> | undefined,
): string | undefined {
  const unfiled = sources.filter((source) => failed?.has(source.sourceKey) === true).length;
  if (unfiled > 0 && gone.length > 0) {
    return `${gone.length} documents are gone, but ${unfiled} could not be filed: the next run removes what is gone`;
  }
  const texts = new Set(sources.map((source) => source.hash));
  const lost = gone.filter((source) => !texts.has(source.hash)).length;
  if (allowRemovals) return undefined;
  if (sources.length === 0 && lost > 0) {
    return `the folder has no documents any more, the palace holds ${lost}: --allow-removals removes them`;
  }
  if (lost > REMOVALS_UNASKED && lost > total * SHARE_UNASKED) {
    return `${lost} of ${total} documents are gone: --allow-removals removes them from the palace`;
  }
  return undefined;
}

/** Sources that are not filed any more because others hold all their text, once those are filed. */
export function planContained(batch: Batch, palace: Palace, run: RunContext): Removals {
  const stands = (key: string) =>
    !run.failed.has(key) && (palace.sources.byKey(key) !== undefined || palace.forgetting.has(key));
  const sources = (batch.contained ?? []).flatMap(({ sourceKey, standsIn }) => {
    const filed = run.listed.has(sourceKey) ? undefined : palace.sources.byKey(sourceKey);
    return filed !== undefined && standsIn.length > 0 && standsIn.every(stands) ? [filed] : [];
  });
  const [first] = sources;
  if (batch.guarded !== true || first === undefined) return { sources, heldBack: undefined };
  const detail = `${plural(sources.length, 'session')} would leave, as contained in others: --allow-removals removes them`;
  return {
    sources: [],
    heldBack: { origin: first.origin, reason: 'removals held back', detail, problem: true },
  };
}

/** What is filed of the projects that lie in the batch's own, under its path there. */
function absorbedBy(batch: Batch, palace: Palace): { source: FiledSource; path: string }[] {
  const { project, complete } = batch;
  const ids = new Set(complete?.absorbs);
  if (project === undefined || ids.size === 0) return [];
  return palace.projects.all().flatMap(({ id, root }) => {
    if (!ids.has(id) || id === project.id || !root.startsWith(project.root + sep)) return [];
    const below = relative(project.root, root).split(sep).join('/');
    return palace.sources
      .ofProject(id)
      .map((source) => ({ source, path: `${below}/${pathOfKey(source.sourceKey)}` }));
  });
}

/**
 * What projects around this one still hold of the documents that it lists: a folder that became a project of
 * its own owns its files alone. What could not be filed under its new key stays where it is.
 */
function takenFromOuter(
  { project, sources }: Batch,
  palace: Palace,
  failed: ReadonlySet<string> | undefined,
): FiledSource[] {
  if (project === undefined) return [];
  const outer = palace.projects.all().filter(({ root }) => project.root.startsWith(root + sep));
  return outer.flatMap(({ id, root }) => {
    const below = relative(root, project.root).split(sep).join('/');
    return sources.flatMap(({ sourceKey }) => {
      if (failed?.has(sourceKey) === true) return [];
      return palace.sources.byKey(documentKey(id, `${below}/${pathOfKey(sourceKey)}`)) ?? [];
    });
  });
}

/** Did the feeder look where this path lies? */
function wasSeen(path: string, folder: string | undefined, unread: readonly string[]): boolean {
  const below = (parent: string) => parent === '' || path === parent || path.startsWith(`${parent}/`);
  return (folder === undefined || below(folder)) && !unread.some(below);
}
