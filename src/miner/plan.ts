import type { Batch, Recleaning, Skipped, StagedSource } from '../core/contract.js';
import { shortTitle } from '../core/short-names.js';
import { pathOfKey } from '../core/source-key.js';
import type { FiledSource, Palace, SourceRecord } from '../store/index.js';
import { CHUNKER_VERSION, TURNS_VERSION } from './segment.js';

/** A source that must be read. */
export interface PlannedSource {
  source: StagedSource;
  record: SourceRecord;
  filed: FiledSource | undefined;
  /** It is filed as it is, and read because of the option `force` or a checkpoint. */
  again: boolean;
  /** See `Batch`. */
  guarded?: boolean | undefined;
  /** See `Batch`. */
  recleaning?: Recleaning | undefined;
}

export interface Plan {
  toFile: PlannedSource[];
  /** Unchanged text, but another wing, room, name, mtime or priority. */
  toRelocate: { source: StagedSource; record: SourceRecord; filed: FiledSource }[];
  /** Includes those to relocate. */
  unchanged: number;
  /** Unchanged sources whose wing, room or project changes. */
  moved: number;
  /** Sources that the user had forgotten. */
  forgotten: Skipped[];
}

/** The palace's row for a staged source. Without a title, it gets one from the text. */
function recordOf(source: StagedSource, projectId: string | null): SourceRecord {
  const { sourceKey, sourceFile, origin, kind, wing, room, ingestMode, mtimeMs, bytes, hash } = source;
  const { directory = null, title, madeBy } = source;
  const isDocument = kind === 'document';
  const turns = isDocument ? '' : `, turns ${TURNS_VERSION}`;
  // A copy by spread takes longer than the rest of the plan.
  return {
    sourceKey,
    sourceFile,
    origin,
    kind,
    wing,
    room,
    ingestMode,
    mtimeMs,
    bytes,
    hash,
    projectId: isDocument ? projectId : null,
    title: title === undefined ? null : shortTitle(title),
    sessionId: source.sessionId ?? null,
    directory,
    priority: source.priority ?? null,
    priorityFrom: source.priorityFrom ?? null,
    givenType: source.givenType ?? null,
    parentKey: source.parentKey,
    standsIn: isDocument ? undefined : (source.standsIn ?? []),
    // They shaped the drawers: when one changes, the source is filed again.
    versions: `${madeBy}, chunker ${CHUNKER_VERSION}${turns}`,
    place: isDocument ? pathOfKey(sourceKey) : (directory ?? ''),
  };
}

/** Separates the sources that must be read from those that are already filed. @param force which are read anyway */
export function planBatch(
  batch: Batch,
  palace: Palace | undefined,
  force: boolean | ((source: StagedSource) => boolean),
): Plan {
  const isForced = typeof force === 'boolean' ? () => force : force;
  const plan: Plan = { toFile: [], toRelocate: [], unchanged: 0, moved: 0, forgotten: [] };
  const forgotten = palace?.forgetting.names();
  const known = palace?.sources.byKeys(batch.sources.map(({ sourceKey }) => sourceKey));
  const isForgotten = ({ sourceKey, kind, origin }: StagedSource) =>
    forgotten?.has(sourceKey) === true || (kind === 'document' && forgotten?.has(origin) === true);
  for (const source of batch.sources) {
    if (isForgotten(source)) {
      plan.forgotten.push({ origin: source.origin, reason: 'forgotten' });
      continue;
    }
    const record = recordOf(source, batch.project?.id ?? null);
    const filed = known?.get(source.sourceKey);
    const again = filed !== undefined && isSame(filed, record);
    if (!again || isForced(source)) {
      const recleaning = batch.recleaning?.get(source.sourceKey);
      plan.toFile.push({ source, record, filed, again, guarded: batch.guarded, recleaning });
      continue;
    }
    plan.unchanged += 1;
    // Earlier versions filed long titles whole: they are shortened although the source is unchanged.
    const kept = filed.title === null ? null : shortTitle(filed.title);
    const settled = { ...record, title: record.title ?? kept, hash: filed.hash };
    const differs = (...fields: (keyof FiledSource & keyof SourceRecord)[]): boolean =>
      fields.some((field) => filed[field] !== settled[field]);
    const moved = differs('wing', 'room', 'projectId');
    const renamed = differs('sourceFile', 'origin', 'title', 'directory');
    if (moved) plan.moved += 1;
    if (moved || renamed || differs('priority', 'priorityFrom', 'givenType', 'mtimeMs', 'bytes'))
      plan.toRelocate.push({ source, record: settled, filed });
  }
  return plan;
}

/** A source without a hash (a transcript read in place) is compared by size and mtime. */
function isSame(filed: FiledSource, record: SourceRecord): boolean {
  if (filed.versions !== record.versions) return false;
  if (record.hash !== '') return filed.hash === record.hash;
  return filed.bytes === record.bytes && filed.mtimeMs === record.mtimeMs;
}

/**
 * The sources of all plans in filing order: forks after the sessions they refer to, in any batch, so that a message is
 * removed from a fork only after the session that contains it is filed. What is only read again is last: in runs that
 * are all too short, nothing else would ever be filed.
 */
export function inFilingOrder(plans: readonly Plan[]): PlannedSource[] {
  const planned = plans.flatMap((plan) => plan.toFile);
  return [planned.filter(({ again }) => !again), planned.filter(({ again }) => again)].flatMap(
    originalsFirst,
  );
}

function originalsFirst(planned: readonly PlannedSource[]): PlannedSource[] {
  const byKey = new Map(planned.map((each) => [each.source.sourceKey, each]));
  const ordered: PlannedSource[] = [];
  const entered = new Set<PlannedSource>();
  const place = (each: PlannedSource | undefined): void => {
    if (each === undefined || entered.has(each)) return;
    entered.add(each);
    for (const key of each.source.standsIn ?? []) place(byKey.get(key));
    ordered.push(each);
  };
  for (const each of planned) place(each);
  return ordered;
}

/**
 * The batches with every source key once: the newest copy, or the first of equally new ones. Two staging folders contain
 * the same source when one of them was left from a former wing.
 */
export function withoutTwins(batches: readonly Batch[]): { batches: Batch[]; twins: Skipped[] } {
  const newest = new Map<string, StagedSource>();
  for (const source of batches.flatMap((batch) => batch.sources)) {
    const twin = newest.get(source.sourceKey);
    if (twin === undefined || source.mtimeMs > twin.mtimeMs) newest.set(source.sourceKey, source);
  }
  const isNewest = (source: StagedSource) => newest.get(source.sourceKey) === source;
  const twins = batches.flatMap(({ sources }) =>
    sources
      .filter((source) => !isNewest(source))
      .map(({ origin, sourceFile }) => ({ origin, reason: 'listed twice', detail: sourceFile })),
  );
  return { batches: batches.map((batch) => ({ ...batch, sources: batch.sources.filter(isNewest) })), twins };
}
