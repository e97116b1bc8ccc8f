import { parseSourceKey } from '../../core/source-key.js';
import type { DiaryRow, Palace } from '../../store/index.js';
import { agentOf, titleOfTopic, topicOf, topicOfTitle } from './agent.js';

export interface DiaryEntry {
  /** The key of its source, which `mempalace show` accepts. */
  entry_id: string;
  agent: string;
  wing: string;
  topic: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  content: string;
}

/** Entries of a diary, or of all, newest first. @throws UserError `usage` for invalid names */
export function readDiary(
  palace: Palace,
  {
    agent,
    wing,
    topic,
    ...page
  }: Partial<Record<'agent' | 'wing' | 'topic', string | undefined>> & { limit: number; offset: number },
): { entries: DiaryEntry[]; total: number } {
  const place = {
    agent: agent === undefined ? undefined : agentOf(agent),
    wing,
    title: topic === undefined ? undefined : titleOfTopic(topicOf(topic)),
  };
  return palace.snapshot(() => {
    const { rows, total } = palace.diary.entries(place, page);
    return { entries: rows.map((row) => entryOf(palace, row)), total };
  });
}

/** An entry as its source is stored. */
export function entryOf(palace: Palace, { id, sourceKey, wing, title, writtenMs }: DiaryRow): DiaryEntry {
  return {
    entry_id: sourceKey,
    agent: parseSourceKey(sourceKey).owner,
    wing,
    topic: topicOfTitle(title),
    timestamp: new Date(writtenMs).toISOString(),
    content: palace.sources.textOf(id),
  };
}
