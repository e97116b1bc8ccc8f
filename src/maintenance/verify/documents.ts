import { existsSync, readdirSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { Batch, StagedSource } from '../../core/contract.js';
import { existsAs, realPathOfMarked } from '../../core/marked-path.js';
import { DERIVED_KINDS, isOfKind, KEY_KIND, pathOfKey } from '../../core/source-key.js';
import { planBatch } from '../../miner/plan.js';
import { planRemovals } from '../../miner/removals.js';
import { decodeText } from '../../platform/decode.js';
import type { FiledSource, Palace } from '../../store/index.js';
import { DAMAGED, type Finding, findingOf } from './finding.js';
import { type VerifyTranscriptsOptions, verifyTranscripts } from './transcripts.js';

/**
 * Compares a document as it would be staged now with the filed version.
 *
 * @param content decoded and sanitised
 */
export function verifyDocument(source: StagedSource, content: string, palace: Palace): Finding {
  return palace.snapshot(() => {
    const filed = palace.sources.byKey(source.sourceKey);
    if (filed === undefined) return findingOf({ ...source, title: null }, 'missing');
    const { toFile } = planBatch({ sources: [source], skipped: [] }, palace, false);
    const same = palace.sources.textOf(filed.id) === decodeText(Buffer.from(content, 'utf8')).text;
    if (toFile.length === 0 && same) return findingOf(filed, 'ok');
    const changed = same ? `filed by other versions (${filed.versions})` : 'its text changed';
    return findingOf(filed, 'stale', { detail: toFile.length === 0 ? DAMAGED : changed });
  });
}

const UNWANTED = 'it is not a document of its project any more: the next run removes it';
const UNREAD = 'the file, or a folder above it, could not be read';
const EMPTY = 'its folder is empty: not mounted?';

/**
 * Findings for filed documents of a project that were not found in it.
 *
 * @param batch complete, as staging would make it now
 * @param root existing root of the project
 */
export function verifyAbsent(batch: Batch, root: string, palace: Palace): Finding[] {
  return palace.snapshot(() => {
    const gone = planRemovals(batch, palace, true).sources;
    const { heldBack } = planRemovals(batch, palace, false);
    const listed = new Set([...batch.sources, ...gone].map(({ sourceKey }) => sourceKey));
    const { project, complete } = batch;
    const unread = (project === undefined ? [] : palace.sources.ofProject(project.id))
      .filter(({ sourceKey }) => !listed.has(sourceKey) && isWithin(sourceKey, complete?.folder))
      .map((source) => findingOf(source, 'not_checked', { detail: UNREAD }));
    return [...unread, ...gone.map((source) => absentFinding(source, root, heldBack?.detail))];
  });
}

function isWithin(sourceKey: string, folder: string | undefined): boolean {
  return folder === undefined || pathOfKey(sourceKey).startsWith(`${folder}/`);
}

function absentFinding(source: FiledSource, root: string, heldBack: string | undefined): Finding {
  if (existsAs(source.origin)) return findingOf(source, 'stale', { detail: UNWANTED });
  if (isEmptied(source.origin, root)) return findingOf(source, 'not_checked', { detail: EMPTY });
  if (heldBack !== undefined) return findingOf(source, 'held_back', { detail: heldBack });
  return findingOf(source, 'orphaned', { detail: 'the file is gone' });
}

/** Whether the nearest existing folder of a missing file is empty, as an unmounted one is. */
function isEmptied(origin: string, root: string): boolean {
  let folder = dirname(origin);
  while (folder.startsWith(root + sep) && !existsAs(folder)) folder = dirname(folder);
  const there = realPathOfMarked(folder);
  return there !== undefined && existsSync(there) && readdirSync(there).length === 0;
}

/** Findings for all filed documents of a project that cannot be checked now. */
export function unchecked(projectId: string, why: string, palace: Palace): Finding[] {
  return palace.sources
    .ofProject(projectId)
    .map((source) => findingOf(source, 'not_checked', { detail: why }));
}

/** The filed conversations of these ids, of every agent but opencode. */
export function sessionsElsewhere(palace: Palace, ids: readonly string[]): FiledSource[] {
  return [...palace.sources.ofKind('conversation').values()].filter(
    ({ sourceKey, sessionId }) =>
      ids.includes(sessionId ?? '') &&
      ![KEY_KIND.opencode, ...DERIVED_KINDS].some((kind) => isOfKind(sourceKey, kind)),
  );
}

/**
 * Compares sources that are neither project documents nor opencode sessions: transcripts, imported and written ones.
 *
 * @param named only these conversations
 */
export async function* verifyElsewhere(
  palace: Palace,
  options: VerifyTranscriptsOptions,
  named?: readonly FiledSource[],
): AsyncGenerator<Finding> {
  const conversations = named ?? [...palace.sources.ofKind('conversation').values()];
  const documents = named === undefined ? [...palace.sources.ofKind('document').values()] : [];
  const others = conversations.filter(({ sourceKey }) => !isOfKind(sourceKey, KEY_KIND.opencode));
  const transcripts = others.filter(({ versions }) => OF_TRANSCRIPTS.test(versions));
  for (const source of [
    ...others.filter(({ versions }) => !OF_TRANSCRIPTS.test(versions)),
    ...documents.filter(({ projectId }) => projectId === null),
  ]) {
    options.signal?.throwIfAborted();
    yield findingOf(source, 'not_checked', { harmless: true, detail: originOf(source) });
  }
  yield* verifyTranscripts(palace, transcripts, options);
}

function originOf({ sourceKey, versions }: FiledSource): string {
  if (DERIVED_KINDS.some((kind) => isOfKind(sourceKey, kind))) return 'it was made from its session';
  return versions.startsWith('written, ') ? 'it was written here' : 'it was imported';
}

/** Staged by the feeder of transcripts, or read in place by an earlier release. */
const OF_TRANSCRIPTS = /^(?:transcripts \d+|in place), /;
