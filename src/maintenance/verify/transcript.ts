import { createHash } from 'node:crypto';
import type { StagedSource } from '../../core/contract.js';
import { UNKNOWN_FORM, type WorkItem } from '../../feeders/session/options.js';
import { sourceFacts, type Transcript, transcriptOf } from '../../feeders/session/transcript-of.js';
import { reasonToHoldBack } from '../../miner/hold-back.js';
import { planBatch } from '../../miner/plan.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import type { FiledSource, Palace } from '../../store/index.js';
import { DAMAGED, type Finding, findingOf } from './finding.js';
import { type Likeness, likenessOf, readLive } from './live.js';
import { missingParts } from './parts.js';

export interface TranscriptOptions {
  palace: Palace;
  sanitiser: Sanitiser;
  /** Versions of the current transcriber. */
  madeBy: string;
  signal?: AbortSignal | undefined;
}

/**
 * Makes a session's transcript as its feeder would, and compares it with the filed one, character by character.
 * Neither is kept in memory as a whole, unless they differ.
 *
 * @returns undefined for an empty session that is not filed
 * @throws errors of reading the session's history
 */
export async function verifySession(
  item: WorkItem,
  options: TranscriptOptions,
): Promise<Finding | undefined> {
  const { palace } = options;
  // One state of the palace, even if a feeder files meanwhile.
  return palace.archive.during(async () => {
    const filed = palace.sources.byKey(item.sourceKey);
    const live = await read(item, filed, options);
    if (filed !== undefined) return compared(item, filed, live, options);
    if (live.transcript.counts.lines === 0) return undefined;
    const { title = null } = live.source;
    return findingOf({ ...live.source, title }, 'missing', { parts: live.transcript.counts.blocks });
  });
}

async function read(
  item: WorkItem,
  filed: FiledSource | undefined,
  { palace, sanitiser, madeBy, signal }: TranscriptOptions,
) {
  const transcript = await transcriptOf(item, sanitiser);
  const hash = createHash('sha256');
  let bytes = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const line of transcript.lines) {
      signal?.throwIfAborted();
      hash.update(line);
      bytes += Buffer.byteLength(line);
      yield line;
    }
  }
  const text = await readLive(lines());
  const known = { directory: filed?.directory ?? undefined };
  const facts = sourceFacts(item, transcript, madeBy, known);
  const source = { ...facts, path: '', sourceFile: filed?.sourceFile ?? '', bytes, hash: hash.digest('hex') };
  const likeness = filed && (await likenessOf(text, source, filed, { palace, scope: sanitiser }));
  return { source, transcript, messages: text.messages, likeness };
}

async function compared(
  item: WorkItem,
  filed: FiledSource,
  live: Awaited<ReturnType<typeof read>>,
  { palace, sanitiser }: TranscriptOptions,
): Promise<Finding> {
  const { source, likeness, transcript } = live;
  const parts = transcript.counts.blocks;
  const { toFile } = planBatch({ sources: [source], skipped: [] }, palace, false);
  const changed = toFile.length > 0;
  const reason = changed
    ? reasonToHoldBack({ ...live, filed, problems: [], drafts: [] }, palace, new Set())
    : undefined;
  if (reason !== undefined) return findingOf(filed, 'held_back', { parts, detail: reason });
  const damage = likeness === 'changed' ? DAMAGED : undefined;
  const difference = changed ? staleness(filed, source, likeness) : damage;
  const notRead = unread(transcript.notes);
  if (difference === undefined)
    return findingOf(filed, notRead === undefined ? 'ok' : 'not_checked', { parts, detail: notRead });
  const lacking =
    likeness === 'changed'
      ? await missingParts(item, palace, filed, { head: transcript.head, sanitiser })
      : [];
  const why = notRead === undefined ? difference : `${difference}; ${notRead}`;
  const detail = lacking === undefined ? `${why}; too long to say which parts` : why;
  return findingOf(filed, 'stale', { parts, detail, missingParts: lacking });
}

/** Content of a session that its transcript leaves out, although it may contain words of the user or the agent. */
function unread({ unparsed, oversized, unrecognised }: Transcript['notes']): string | undefined {
  const counts = [
    [unparsed.length, 'rows that do not parse'],
    [oversized.length, 'parts too large to be read'],
    [unrecognised, UNKNOWN_FORM],
  ] as const;
  const named = counts.flatMap(([count, what]) => (count > 0 ? [`${what}: ${count}`] : []));
  return named.length === 0 ? undefined : named.join(', ');
}

/** Undefined if a run would change nothing: a filed whole output stays after opencode has removed its file. */
function staleness(
  filed: FiledSource,
  source: StagedSource,
  likeness: Likeness | undefined,
): string | undefined {
  if (filed.mtimeMs !== source.mtimeMs) {
    const when = new Date(source.mtimeMs).toISOString();
    return filed.mtimeMs < source.mtimeMs ? `changed since it was filed (${when})` : `older now (${when})`;
  }
  if (!filed.versions.startsWith(`${source.madeBy}, `)) return `filed by other versions (${filed.versions})`;
  if (likeness === 'kept') return undefined;
  if (likeness === 'lost') return 'opencode has lost messages of it';
  return likeness === 'equal' ? 'its metadata changed' : 'its text changed';
}
