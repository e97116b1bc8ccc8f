import type { Batch, Skipped, StagedSource } from '../core/contract.js';
import { shortTitle } from '../core/short-names.js';
import { pathOfKey } from '../core/source-key.js';
import type { FiledSource, Palace, SourceRecord } from '../store/index.js';
import { CHUNKER_VERSION, TURNS_VERSION } from './segment.js';

/** A source that must be read, and what the palace has of it. */
export interface PlannedSource {
  source: StagedSource;
  record: SourceRecord;
  filed: FiledSource | undefined;
  /** As its batch is. */
  guarded?: boolean | undefined;
}

export interface Plan {
  toFile: PlannedSource[];
  /** Unchanged, but lying elsewhere now (another wing, room, name or mtime), or of another priority. */
  toRelocate: { record: SourceRecord; filed: FiledSource }[];
  /** All unchanged sources, those to relocate included. */
  unchanged: number;
  /** Unchanged sources whose wing, room or project changes. */
  moved: number;
  /** What the palace was told to forget, staged elsewhere. */
  forgotten: Skipped[];
}

/** What shaped the drawers of a source: any part of it that rises makes the source be done again. */
function versionsOf(source: StagedSource): string {
  const turns = source.kind === 'conversation' ? `, turns ${TURNS_VERSION}` : '';
  return `${source.madeBy}, chunker ${CHUNKER_VERSION}${turns}`;
}

/** The row that the palace keeps of a staged source. `title` may still follow from its text. */
function recordOf(source: StagedSource, projectId: string | null): SourceRecord {
  const { sourceKey, sourceFile, origin, kind, wing, room, mtimeMs, bytes, hash } = source;
  return {
    sourceKey,
    sourceFile,
    origin,
    kind,
    wing,
    room,
    projectId: kind === 'document' ? projectId : null,
    title: source.title === undefined ? null : shortTitle(source.title),
    sessionId: source.sessionId ?? null,
    directory: source.directory ?? null,
    priority: source.priority ?? null,
    priorityFrom: source.priorityFrom ?? null,
    ingestMode: source.ingestMode,
    mtimeMs,
    bytes,
    hash,
    versions: versionsOf(source),
    place: kind === 'document' ? pathOfKey(sourceKey) : (source.directory ?? ''),
  };
}

/** Sorts a batch into what must be read and what is filed already. */
export function planBatch(batch: Batch, palace: Palace | undefined, force: boolean): Plan {
  const plan: Plan = { toFile: [], toRelocate: [], unchanged: 0, moved: 0, forgotten: [] };
  const forgotten = palace?.forgetting.names();
  const isForgotten = ({ sourceKey, kind, origin }: StagedSource) =>
    forgotten?.has(sourceKey) === true || (kind === 'document' && forgotten?.has(origin) === true);
  for (const source of batch.sources) {
    if (isForgotten(source)) {
      plan.forgotten.push({ origin: source.origin, reason: 'forgotten' });
      continue;
    }
    const record = recordOf(source, batch.project?.id ?? null);
    const filed = palace?.sources.byKey(source.sourceKey);
    if (filed === undefined || force || !isSame(filed, record)) {
      plan.toFile.push({ source, record, filed, guarded: batch.guarded });
      continue;
    }
    plan.unchanged += 1;
    // A title that an earlier program filed whole is cut, although its source is unchanged.
    const kept = filed.title === null ? null : shortTitle(filed.title);
    const settled = { ...record, title: record.title ?? kept, hash: filed.hash };
    if (isMoved(filed, settled)) plan.moved += 1;
    if (isMoved(filed, settled) || isRenamed(filed, settled))
      plan.toRelocate.push({ record: settled, filed });
  }
  return plan;
}

/** A source without a hash (a transcript read in place) is judged by size and mtime. */
function isSame(filed: FiledSource, record: SourceRecord): boolean {
  if (filed.versions !== record.versions) return false;
  if (record.hash !== '') return filed.hash === record.hash;
  return filed.bytes === record.bytes && filed.mtimeMs === record.mtimeMs;
}

function isMoved(filed: FiledSource, record: SourceRecord): boolean {
  return filed.wing !== record.wing || filed.room !== record.room || filed.projectId !== record.projectId;
}

/** Of another name, place on the disk, time or priority. */
function isRenamed(filed: FiledSource, record: SourceRecord): boolean {
  return (
    filed.sourceFile !== record.sourceFile ||
    filed.origin !== record.origin ||
    filed.title !== record.title ||
    filed.directory !== record.directory ||
    filed.priority !== record.priority ||
    filed.priorityFrom !== record.priorityFrom ||
    filed.mtimeMs !== record.mtimeMs ||
    filed.bytes !== record.bytes
  );
}

/**
 * The sources of all plans in the order to file them in: forks behind the sessions they lean on, whichever
 * batch those are in, so that a fork gives up no message before the session that holds it is filed.
 */
export function inFilingOrder(plans: readonly Plan[]): PlannedSource[] {
  const planned = plans.flatMap((plan) => plan.toFile);
  const byKey = new Map(planned.map((each) => [each.source.sourceKey, each]));
  const ordered = new Set<PlannedSource>();
  const entered = new Set<PlannedSource>();
  const place = (each: PlannedSource): void => {
    if (entered.has(each)) return;
    entered.add(each);
    for (const key of each.source.standsIn ?? []) {
      const holder = byKey.get(key);
      if (holder !== undefined) place(holder);
    }
    ordered.add(each);
  };
  for (const each of planned) place(each);
  return [...ordered];
}

/**
 * The batches with every source key once: the newest copy, of equally old ones the first. Two staging
 * folders hold the same source when one of them was left behind under a former wing.
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
      .map(({ origin, sourceFile }) => ({
        origin,
        reason: 'listed twice',
        detail: sourceFile,
      })),
  );
  if (twins.length === 0) return { batches: [...batches], twins };
  return { batches: batches.map((batch) => ({ ...batch, sources: batch.sources.filter(isNewest) })), twins };
}
