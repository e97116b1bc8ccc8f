import type { Batch, Skipped } from '../common/contract.js';
import type { FiledSource, Palace } from '../store/index.js';

/** More removals than this, and more than this share of a project, are not done unasked. */
const REMOVALS_UNASKED = 20;
const SHARE_UNASKED = 0.5;

export interface Removals {
  sources: FiledSource[];
  /** Why they may not be removed now; nothing is then. */
  heldBack: Skipped | undefined;
}

/**
 * What a complete batch no longer lists of its project: deleted, renamed, or no longer a document. Sources
 * of projects that it absorbs leave too, since it lists them under its own keys. A text that the batch
 * holds under another name is not lost, and does not count towards the limit.
 */
export function planRemovals(batch: Batch, palace: Palace, allowRemovals: boolean): Removals {
  const { complete, sources } = batch;
  if (complete === undefined) return { sources: [], heldBack: undefined };
  const own = palace.sources.ofProject(complete.project);
  const absorbed = (complete.absorbs ?? []).flatMap((id) => palace.sources.ofProject(id));
  const listed = new Set(sources.map((source) => source.sourceKey));
  const seen = (source: FiledSource) => wasSeen(pathOf(source), complete.folder, complete.unread);
  const gone = [...own.filter((source) => seen(source) && !listed.has(source.sourceKey)), ...absorbed];
  const texts = new Set(sources.map((source) => source.hash));
  const lost = gone.filter((source) => !texts.has(source.hash)).length;
  const total = own.length + absorbed.length;
  const emptied = sources.length === 0 && lost > 0;
  const many = lost > REMOVALS_UNASKED && lost > total * SHARE_UNASKED;
  if (allowRemovals || !(emptied || many)) return { sources: gone, heldBack: undefined };
  return {
    sources: [],
    heldBack: {
      origin: batch.project?.root ?? complete.project,
      reason: 'removals held back',
      detail: emptied
        ? `the folder has no documents any more, the palace holds ${lost}: --allow-removals removes them`
        : `${lost} of ${total} documents are gone: --allow-removals removes them from the palace`,
      problem: true,
    },
  };
}

/** Sources that are not filed any more because others hold all their text, once those are filed. */
export function planContained(batch: Batch, palace: Palace): FiledSource[] {
  return (batch.contained ?? []).flatMap(({ sourceKey, standsIn }) => {
    const filed = palace.sources.byKey(sourceKey);
    const held = standsIn.length > 0 && standsIn.every((key) => palace.sources.byKey(key) !== undefined);
    return filed !== undefined && held ? [filed] : [];
  });
}

function pathOf(source: FiledSource): string {
  return source.sourceKey.slice(source.sourceKey.indexOf('/') + 1);
}

/** Did the feeder look where this path lies? */
function wasSeen(path: string, folder: string | undefined, unread: readonly string[]): boolean {
  const below = (parent: string) => parent === '' || path === parent || path.startsWith(`${parent}/`);
  return (folder === undefined || below(folder)) && !unread.some(below);
}
