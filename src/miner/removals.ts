import { relative, sep } from 'node:path';
import type { Batch, Skipped } from '../core/contract.js';
import { plural } from '../core/plural.js';
import { markIn } from '../core/project-id.js';
import { documentKey, pathOfKey } from '../core/source-key.js';
import type { FiledSource, Palace } from '../store/index.js';
import { sectionsIn, turnsOf } from './keep/index.js';

/** More removals than both this number and this share of a project need --allow-removals. */
const REMOVALS_UNASKED = 20;
const SHARE_UNASKED = 0.5;

interface Removals {
  sources: FiledSource[];
  heldBack?: Skipped;
}

interface RunContext {
  /** Keys in any batch of the run: none of them is gone. */
  listed: ReadonlySet<string>;
  /** Keys that this run could not file. */
  failed: ReadonlySet<string>;
}

/**
 * Sources that a complete batch no longer lists: deleted, renamed, or no longer documents. Sources of absorbed projects
 * are removed too, since the batch lists them under its own keys, and so are copies in a surrounding project. A text
 * that the batch contains under another name is not lost and does not count towards the limit, nor do documents that
 * are left out as data of tests. When a document of the
 * batch could not be filed, nothing is removed: a missing source may be that document under its former name.
 */
export function planRemovals(
  batch: Batch,
  palace: Palace,
  allowRemovals: boolean,
  run: RunContext = { listed: new Set(batch.sources.map(({ sourceKey }) => sourceKey)), failed: new Set() },
): Removals {
  const { complete } = batch;
  if (complete === undefined) return { sources: [] };
  const places = [{ id: complete.project, prefix: '' }, ...absorbedBy(batch, palace)];
  const filed = places.flatMap(({ id, prefix }) =>
    palace.sources.ofProject(id).map((source) => ({ source, path: prefix + pathOfKey(source.sourceKey) })),
  );
  const gone = filed
    .filter(({ source, path }) => !run.listed.has(source.sourceKey) && wasSeen(path, complete))
    .map(({ source }) => source);
  const outer = takenFromOuter(batch, palace, run);
  const others = outer.length + gone.filter(({ projectId }) => projectId !== complete.project).length;
  const detail =
    batch.guarded === true && others > 0
      ? `${others} documents of other projects would leave: --allow-removals removes them`
      : reasonToKeep(batch, gone, filed.length, allowRemovals, run);
  if (detail === undefined) return { sources: [...gone, ...outer] };
  return heldBack(batch.project?.root ?? complete.project, detail);
}

function heldBack(origin: string, detail: string): Removals {
  return { sources: [], heldBack: { origin, reason: 'removals held back', detail, problem: true } };
}

function reasonToKeep(
  { sources, complete }: Batch,
  gone: readonly FiledSource[],
  total: number,
  allowRemovals: boolean,
  { failed }: RunContext,
): string | undefined {
  const unfiled = sources.filter((source) => failed.has(source.sourceKey)).length;
  if (unfiled > 0 && gone.length > 0) {
    return `${gone.length} documents are gone, but ${unfiled} could not be filed: the next run removes what is gone`;
  }
  const texts = new Set(sources.map((source) => source.hash));
  const left = complete?.testData ?? [];
  const isLeft = ({ sourceKey }: FiledSource) => left.some((place) => isBelow(pathOfKey(sourceKey), place));
  const lost = gone.filter((source) => !texts.has(source.hash) && !isLeft(source)).length;
  if (allowRemovals) return undefined;
  if (sources.length === 0 && lost > 0) {
    return `the folder no longer contains documents, the palace contains ${lost}: --allow-removals removes them`;
  }
  if (lost > REMOVALS_UNASKED && lost > total * SHARE_UNASKED) {
    return `${lost} of ${total} documents are gone: --allow-removals removes them from the palace`;
  }
  return undefined;
}

/** Sources to remove because others, which are filed, contain all their text. */
export function planContained(batch: Batch, palace: Palace, run: RunContext): Removals {
  const stands = (key: string) =>
    !run.failed.has(key) && (palace.sources.byKey(key) !== undefined || palace.forgetting.has(key));
  const sources = (batch.contained ?? []).flatMap((contained) => {
    const { sourceKey, standsIn } = contained;
    const filed = run.listed.has(sourceKey) ? undefined : palace.sources.byKey(sourceKey);
    if (filed === undefined || standsIn.length === 0 || !standsIn.every(stands)) return [];
    return hasLost(filed, contained, palace) ? [] : [filed];
  });
  const [first] = sources;
  if (batch.guarded !== true || first === undefined) return { sources };
  const sessions = plural(sources.length, 'session');
  return heldBack(
    first.origin,
    `${sessions} would leave, as contained in others: --allow-removals removes them`,
  );
}

/** Whether only the palace has some of its messages, because its program has lost them. */
function hasLost(
  filed: FiledSource,
  { standsIn, leftOut }: NonNullable<Batch['contained']>[number],
  palace: Palace,
): boolean {
  // Earlier feeders did not name what the others contain.
  if (leftOut === undefined) return palace.sources.hasGone(filed.id);
  const named = new Set(leftOut);
  const isElsewhere = turnsOf(standsIn, palace);
  // A note is the session's header or a summary.
  return sectionsIn(palace, filed).some(
    (section) => section.role !== 'note' && !named.has(section.message ?? '') && !isElsewhere(section),
  );
}

/** The projects inside the batch's project, whose sources belong to it now, with their paths in it. */
function absorbedBy({ project, complete }: Batch, palace: Palace): { id: string; prefix: string }[] {
  const ids = new Set(complete?.absorbs);
  if (project === undefined || ids.size === 0) return [];
  const inside = palace.projects
    .all()
    .filter(
      ({ id, root }) => ids.has(id) && areOfOneMachine(id, project.id) && root.startsWith(project.root + sep),
    );
  return inside.map(({ id, root }) => ({ id, prefix: pathBetween(project.root, root) }));
}

/**
 * The batch's documents that are still filed in surrounding projects: a folder that became its own project is the only
 * owner of its files. A document that could not be filed under its new key stays there.
 */
function takenFromOuter({ project, sources }: Batch, palace: Palace, { failed }: RunContext): FiledSource[] {
  if (project === undefined) return [];
  const moved = sources.filter(({ sourceKey }) => !failed.has(sourceKey));
  const outer = palace.projects
    .all()
    .filter(({ id, root }) => areOfOneMachine(id, project.id) && project.root.startsWith(root + sep));
  return outer.flatMap(({ id, root }) => {
    const prefix = pathBetween(root, project.root);
    return moved.flatMap(
      ({ sourceKey }) => palace.sources.byKey(documentKey(id, prefix + pathOfKey(sourceKey))) ?? [],
    );
  });
}

/** Two projects; the folders of two machines have nothing to do with each other. */
const areOfOneMachine = (one: string, other: string): boolean =>
  one !== other && markIn(one) === markIn(other);

/** The POSIX path from a folder to one inside it, with a slash at the end. */
function pathBetween(outer: string, inner: string): string {
  return `${relative(outer, inner).split(sep).join('/')}/`;
}

function wasSeen(path: string, { folder, unread }: NonNullable<Batch['complete']>): boolean {
  return (folder === undefined || isBelow(path, folder)) && !unread.some((place) => isBelow(path, place));
}

const isBelow = (path: string, place: string): boolean =>
  place === '' || path === place || path.startsWith(`${place}/`);
