import { UserError } from '../../core/errors.js';
import { sha256 } from '../../core/hash.js';
import { buildSourceKey, KEY_KIND } from '../../core/source-key.js';
import { fileWritten, type Writer } from '../../miner/file-written.js';
import { writtenAlone } from '../../miner/written.js';
import type { Palace } from '../../store/index.js';
import { agentOf, DIARY_ROOM, diaryWing, titleOfTopic, topicOf } from './agent.js';
import { type DiaryEntry, entryOf } from './read.js';

export interface DiaryNote {
  agent: string;
  entry: string;
  /** Default `general`. */
  topic?: string | undefined;
  /** Default `wing_<agent>`. */
  wing?: string | undefined;
}

export interface DiaryWritten {
  entry: DiaryEntry;
  drawerIds: string[];
  /** The same entry was written before: nothing was written now. */
  already: boolean;
  redacted: Record<string, number>;
}

/** The same words of an agent about a topic, within this time, are one entry: a repeated call writes nothing twice. */
const RETRY_MS = 24 * 3_600_000;
const DIGITS = 12;

/** Checks a note without a palace. @throws UserError `usage` for an empty entry, or invalid names */
export function settleNote(note: DiaryNote): { agent: string; wing: string; topic: string } {
  if (note.entry.trim() === '') throw new UserError('usage', 'the entry is empty');
  const agent = agentOf(note.agent);
  return { agent, wing: diaryWing(agent, note.wing), topic: topicOf(note.topic) };
}

/**
 * Writes an entry into an agent's diary, in a short transaction without the run lock.
 *
 * @throws UserError `usage` for an empty entry, or invalid names; errors of the embedder and the palace
 */
export async function writeDiary(
  palace: Palace,
  note: DiaryNote,
  writing: Omit<Writer, 'addedBy'>,
): Promise<DiaryWritten> {
  const { sanitiser, run, embedder, signal } = writing;
  const now = new Date(run.startedMs);
  const { agent, wing, topic } = settleNote(note);
  // The hash distinguishes entries of the same second.
  const hash = sha256([now.getTime(), wing, topic, note.entry].join('\0')).slice(0, DIGITS);
  const name = `${now.toISOString().slice(0, 19).replaceAll(':', '')}Z-${hash}`;
  const written = {
    sourceKey: buildSourceKey({ kind: KEY_KIND.diary, owner: agent, name: `${name}.md` }),
    wing,
    room: DIARY_ROOM,
    text: note.entry,
    origin: `diary://${agent}/${name}`,
    sourceFile: `diary/${agent}/${name}.md`,
    title: titleOfTopic(topic),
    writtenMs: now.getTime(),
  };
  const staged = await writtenAlone(written, sanitiser);
  const source = { ...staged, ingestMode: 'diary' as const };
  const place = { agent, wing, title: source.title ?? titleOfTopic(topic) };
  const before = () => palace.diary.same(place, source.hash, now.getTime() - RETRY_MS);
  const filed = await fileWritten({
    palace,
    sources: () => (before() === undefined ? [source] : undefined),
    run,
    addedBy: agent,
    embedder,
    signal,
  });
  const row = before();
  if (row === undefined) throw new Error(`diary entry ${source.sourceKey} was not filed`);
  return {
    entry: entryOf(palace, row),
    drawerIds: palace.reading.drawersBetween(row.id, 0, row.drawers).map(({ drawerId }) => drawerId),
    already: filed === undefined,
    redacted: source.redacted ?? {},
  };
}
