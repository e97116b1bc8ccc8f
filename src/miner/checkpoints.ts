import {
  type Checkpoint,
  type CheckpointRecorder,
  checkpointText,
  checkpointTitle,
  saysNothing,
} from '../checkpoint/index.js';
import { CHECKPOINT_ROOM, type StagedSource } from '../core/contract.js';
import { sha256 } from '../core/hash.js';
import { buildSourceKey, KEY_KIND, parseSourceKey } from '../core/source-key.js';
import { fileContains } from '../platform/file-contains.js';
import { COMPRESSED } from '../platform/jsonl.js';
import { drawerIds, type FiledSource } from '../store/index.js';
import type { Mining } from './mining.js';
import { type Plan, type PlannedSource, planBatch } from './plan.js';
import { type PreparedSource, prepareSource } from './prepare.js';

/** Raise it when the same transcript gives another text. */
const CHECKPOINT_VERSION = 3;
/** Enough of a request to find the drawer that begins it. */
const COMPARED = 60;
/** In every transcript with a compaction: as feeders stage it, and as Claude Code writes it. */
const COMPACTED = ['compaction', 'isCompactSummary'];
/** The last part of the keys that follow from the transcript. */
const NUMBERED = /\/\d+\.md$/;

/** Filed in the same transaction as their session. */
export interface PreparedCheckpoints {
  prepared: PreparedSource[];
  toRelocate: Plan['toRelocate'];
  /** Filed ones that the session does not have any more. */
  gone: FiledSource[];
}

/**
 * Whether checkpoints follow from a source: a session that was compacted, whose end is asked for, or of which some are filed.
 *
 * @throws the file system's error
 */
export function hasCheckpoints(
  { source: { kind, sourceKey, sessionId, path }, filed }: PlannedSource,
  { palace, checkpoints }: Pick<Mining, 'palace' | 'checkpoints'>,
): boolean {
  // Sub-agents have none.
  if (kind !== 'conversation' || sessionId === undefined || parseSourceKey(sourceKey).name !== undefined)
    return false;
  if (checkpoints?.has(sourceKey) === true) return true;
  if (filed !== undefined && palace.sources.below(prefixOf(sourceKey)).length > 0) return true;
  return COMPRESSED.test(path) || fileContains(path, COMPACTED);
}

const prefixOf = (session: string): string =>
  buildSourceKey({ kind: KEY_KIND.checkpoint, owner: session, name: '' });

export async function prepareCheckpoints(
  session: PreparedSource,
  { palace, checkpoints, force = false, signal }: Pick<Mining, 'palace' | 'checkpoints' | 'force' | 'signal'>,
): Promise<PreparedCheckpoints> {
  const { recorder, source } = session;
  if (recorder === undefined) return { prepared: [], toRelocate: [], gone: [] };
  const prefix = prefixOf(source.sourceKey);
  const filed = palace.sources.below(prefix).filter(({ sourceKey }) => NUMBERED.test(sourceKey));
  const asked = checkpoints?.get(source.sourceKey);
  const { open, closed } = renumbered(recorder, filed, session);
  const keyOf = ({ number }: Checkpoint) => `${prefix}${number}.md`;
  const isOpenFiled = filed.some(({ sourceKey }) => sourceKey === keyOf(open));
  const made = asked?.kind === 'end' || isOpenFiled ? [...closed, open] : closed;
  const sources = made
    .filter((each) => !saysNothing(each))
    .map((each) => sourceOf(session, each, keyOf(each)));
  if (asked?.kind === 'manual')
    sources.push(
      sourceOf(session, { ...open, type: 'manual', note: asked.note }, `${prefix}${asked.name}.md`),
    );
  const kept = new Set(sources.map(({ sourceKey }) => sourceKey));
  const { toFile, toRelocate } = planBatch({ sources, skipped: [] }, palace, force);
  const prepared: PreparedSource[] = [];
  for (const planned of toFile) prepared.push(await prepareSource(planned, { signal }));
  const gone = session.gone === undefined ? filed.filter(({ sourceKey }) => !kept.has(sourceKey)) : [];
  return { prepared, toRelocate, gone };
}

/** The checkpoints of a transcript. If it has lost its beginning, they are numbered after those that are filed of it. */
function renumbered(
  { open, closed }: CheckpointRecorder,
  filed: readonly FiledSource[],
  { source, gone }: PreparedSource,
): Pick<CheckpointRecorder, 'open' | 'closed'> {
  const first = momentOf(closed[0] ?? open, source);
  const before = gone === undefined ? 0 : filed.filter(({ mtimeMs }) => mtimeMs < first).length;
  if (before === 0) return { open, closed };
  const later = (each: Checkpoint) => ({ ...each, number: (each.number ?? 0) + before });
  return { open: later(open), closed: closed.map(later) };
}

function momentOf({ at }: Checkpoint, { mtimeMs }: StagedSource): number {
  return Date.parse(at ?? '') || mtimeMs;
}

function sourceOf(
  { source, drafts }: PreparedSource,
  checkpoint: Checkpoint,
  sourceKey: string,
): StagedSource {
  const ids = drawerIds(
    source.sourceKey,
    drafts.map(({ text }) => text),
  );
  const drawerOf = (ask: string) => {
    const beginning = ask.slice(0, COMPARED);
    return ids[drafts.findLastIndex(({ text }) => text.includes(beginning))];
  };
  const text = checkpointText(checkpoint, source.sourceKey, drawerOf);
  const name = sourceKey.slice(sourceKey.indexOf(':') + 1);
  return {
    path: '',
    text,
    sourceKey,
    sourceFile: `checkpoint/${name.replace(':', '/')}`,
    origin: `checkpoint://${name}`,
    kind: 'document',
    ingestMode: 'checkpoint',
    wing: source.wing,
    room: CHECKPOINT_ROOM,
    mtimeMs: momentOf(checkpoint, source),
    title: checkpointTitle(checkpoint),
    sessionId: source.sessionId,
    directory: source.directory,
    bytes: Buffer.byteLength(text),
    hash: sha256(text),
    madeBy: `checkpoint ${CHECKPOINT_VERSION}, ${source.madeBy}`,
  };
}
