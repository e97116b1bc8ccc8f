import { createHash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { StagedSource } from '../../core/contract.js';
import { withLost } from '../../miner/keep/index.js';
import { PieceBuilder } from '../../miner/pieces.js';
import type { PreparedSource } from '../../miner/prepare.js';
import { conversationSegments } from '../../miner/read/conversation.js';
import type { Chunk } from '../../miner/segment.js';
import { numbered } from '../../platform/jsonl.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import type { FiledSource, Palace } from '../../store/index.js';
import type { Finding } from './finding.js';

/** A transcript as the miner would read it now. */
export interface LiveText
  extends Pick<PreparedSource, 'pieces' | 'messages' | 'turns' | 'problems' | 'chars'> {
  drafts: Chunk[];
  /** As `hashOf` gives it. */
  hash: string;
}

/** @param lines of a staged transcript */
export async function readLive(lines: AsyncIterable<string>): Promise<LiveText> {
  const live: LiveText = {
    ...{ drafts: [], pieces: [], messages: [], turns: [], problems: [], chars: 0, hash: '' },
  };
  const pieces = new PieceBuilder();
  const hash = createHash('sha256');
  for await (const segment of conversationSegments({ path: numbered(lines) })) {
    await pieces.add(segment.text);
    hash.update(segment.text, 'utf16le');
    live.messages.push(...segment.messages);
    live.turns.push(...segment.turns);
    live.problems.push(...segment.problems.map(({ line, reason }) => `line ${line}: ${reason}`));
    live.drafts.push(...segment.chunks);
    live.chars += segment.text.length;
  }
  live.pieces = await pieces.finish();
  live.hash = hash.digest('hex');
  return live;
}

/** SHA-256 of a text in UTF-16, so that a piece may end inside a surrogate pair. */
function hashOf(texts: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text, 'utf16le');
  return hash.digest('hex');
}

/**
 * How a filed text differs from what a run would file now: not at all (`equal`), not except for kept turns (`kept`), or
 * in its words (`changed`). `lost`: the words are the same, but the run would mark more of them as lost.
 */
export type Likeness = 'equal' | 'kept' | 'lost' | 'changed';

/**
 * Compares a filed text with that of its transcript, and what the transcript has lost.
 *
 * @param facts of the transcript, as its feeder would stage it
 * @throws UserError `unreadable` when they are too long to be compared
 */
export async function likenessOf(
  live: LiveText,
  facts: Pick<StagedSource, 'leftOut' | 'standsIn' | 'unparsedRows' | 'leftOutRows' | 'directory'>,
  filed: FiledSource,
  { palace, scope }: { palace: Palace; scope: Sanitiser },
): Promise<Likeness> {
  const stored = hashOf(palace.sources.texts(filed.id));
  if (live.hash === stored) return 'equal';
  const source = { ...facts, kind: 'conversation' as const };
  const clean = async (text: string, place?: 'turn' | 'result') => (await scope.clean(text, place)).text;
  const merged = await withLost({ ...live, source, filed, record: filed }, palace, clean);
  const texts = merged?.pieces.map(({ body }) => inflateRawSync(body).toString('utf8'));
  if (merged === undefined || texts === undefined || hashOf(texts) !== stored) return 'changed';
  return merged.gone.newly > 0 ? 'lost' : 'kept';
}

/** Adds to each finding how many messages of its source only the palace still has. */
export async function* withGone(findings: AsyncIterable<Finding>, palace: Palace): AsyncGenerator<Finding> {
  for await (const finding of findings) {
    const filed = finding.kind === 'session' ? palace.sources.byKey(finding.sourceKey) : undefined;
    const gone = filed === undefined ? 0 : palace.sources.goneIn(filed.id);
    yield gone === 0 ? finding : { ...finding, gone };
  }
}
