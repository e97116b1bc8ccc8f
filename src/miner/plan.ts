import type { Batch, StagedSource } from '../common/contract.js';
import type { FiledSource, Palace, SourceRecord } from '../store/index.js';
import { CHUNKER_VERSION } from './segments.js';

/** A source that must be read, and what the palace has of it. */
export interface PlannedSource {
  source: StagedSource;
  record: SourceRecord;
  filed: FiledSource | undefined;
}

export interface Plan {
  toFile: PlannedSource[];
  /** Unchanged, but lying elsewhere now (another wing, room, name or mtime). */
  toRelocate: { record: SourceRecord; filed: FiledSource }[];
  /** All unchanged sources, those to relocate included. */
  unchanged: number;
  /** Unchanged sources whose wing, room or project changes. */
  moved: number;
}

/** What shaped the drawers of a source: any part of it that rises makes the source be done again. */
function versionsOf(source: StagedSource): string {
  return `${source.madeBy}, chunker ${CHUNKER_VERSION}`;
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
    title: source.title ?? null,
    sessionId: source.sessionId ?? null,
    directory: source.directory ?? null,
    mtimeMs,
    bytes,
    hash,
    versions: versionsOf(source),
    place: kind === 'document' ? sourceKey.slice(sourceKey.indexOf('/') + 1) : (source.directory ?? ''),
  };
}

/**
 * Sorts a batch into what must be read and what is filed already. Forks come last, so that the sessions
 * they lean on are filed before them.
 */
export function planBatch(batch: Batch, palace: Palace | undefined, force: boolean): Plan {
  const plan: Plan = { toFile: [], toRelocate: [], unchanged: 0, moved: 0 };
  for (const source of batch.sources) {
    const record = recordOf(source, batch.project?.id ?? null);
    const filed = palace?.sources.byKey(source.sourceKey);
    if (filed === undefined || force || !isSame(filed, record)) {
      plan.toFile.push({ source, record, filed });
      continue;
    }
    plan.unchanged += 1;
    const settled = { ...record, title: record.title ?? filed.title, hash: filed.hash };
    if (isMoved(filed, settled)) plan.moved += 1;
    if (isMoved(filed, settled) || isRenamed(filed, settled))
      plan.toRelocate.push({ record: settled, filed });
  }
  plan.toFile.sort((a, b) => Number(leans(a)) - Number(leans(b)));
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

function isRenamed(filed: FiledSource, record: SourceRecord): boolean {
  return (
    filed.sourceFile !== record.sourceFile ||
    filed.origin !== record.origin ||
    filed.title !== record.title ||
    filed.directory !== record.directory ||
    filed.mtimeMs !== record.mtimeMs ||
    filed.bytes !== record.bytes
  );
}

function leans(planned: PlannedSource): boolean {
  return (planned.source.standsIn ?? []).length > 0;
}
