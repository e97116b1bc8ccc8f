import { z } from 'zod';
import { NOTICE } from '../../core/outside.js';
import { AAAK_SPEC, agentOf, settleNote } from '../../knowledge/diary/index.js';
import { Budget } from '../../operations/budget.js';
import { entryJson } from '../../presentation/diary.js';
import { count, maxTokens, redactions, text, wing } from '../fields.js';
import { type Call, defineTool, type Tool } from '../tool.js';
import { IDS_SHOWN } from './drawers.js';

const ENTRY_CHARS = 1_000_000;

export const note = z.object({
  agent_name: z.string().min(1).max(64).describe('your name, always the same'),
  entry: z.string().min(1).max(ENTRY_CHARS),
  topic: text('default: general'),
  wing: text('default: wing_<agent>'),
});
type Note = z.output<typeof note>;

export const entryShape = z.looseObject({
  success: z.boolean(),
  entry_id: z.string(),
  agent: z.string(),
  topic: z.string(),
  timestamp: z.string(),
  chunks: z.number(),
});

const write = defineTool({
  name: 'mempalace_diary_write',
  title: 'Write into your diary',
  description:
    'At the end of a session, write decisions, lessons and open questions, in your own words. Stored whole; found by search, and shown at the next wake-up. Sending the same entry again does not duplicate it.',
  input: note,
  output: entryShape,
  inWing: true,
  core: true,
  writes: true,
  idempotent: true,
  logged: (_, { entry_id, agent }) => ({ entry_id, agent }),
  run: writeEntry,
});

const read = defineTool({
  name: 'mempalace_diary_read',
  title: 'Read a diary',
  description:
    'The last diary entries of an agent, whole, newest first. An entry too long for max_tokens is cut: mempalace_show with its entry_id continues.',
  input: z.object({
    agent_name: z.string().min(1).max(64).describe('name of the agent'),
    last_n: count(1, 100, 10),
    wing,
    topic: text('only this topic'),
    offset: count(0, 10_000_000, 0),
    max_tokens: maxTokens(4_000),
  }),
  output: z.looseObject({
    agent: z.string(),
    entries: z.array(
      z.looseObject({ date: z.string(), timestamp: z.string(), topic: z.string(), content: z.string() }),
    ),
    total: z.number(),
    showing: z.number(),
  }),
  inWing: true,
  core: true,
  async run({ agent_name: agent, last_n: limit, wing: inWing, topic, offset, max_tokens: tokens }, call) {
    const found = await call.service.readDiary({ agent, wing: inWing, topic, limit, offset }, call);
    const budget = new Budget(tokens);
    const places = found.entries.map((entry) => {
      const { agent: _, content: _text, ...place } = entryJson(entry);
      return place;
    });
    const kept = budget.take(places);
    const entries = kept.map((place, index) => {
      const { text: content, cut } = budget.shorten(found.entries[index]?.content ?? '', kept.length - index);
      return { ...place, content, ...(cut ? { cut } : {}) };
    });
    return { agent: agentOf(agent), notice: NOTICE, entries, total: found.total, showing: entries.length };
  },
});

const aaak = defineTool({
  name: 'mempalace_get_aaak_spec',
  title: 'The AAAK notation',
  description: 'A short notation for notes to yourself. Optional: plain words work as well.',
  input: z.object({}),
  output: z.looseObject({ aaak_spec: z.string() }),
  inWing: true,
  run: async () => ({ aaak_spec: AAAK_SPEC }),
});

/** @throws UserError `usage` for an invalid entry */
export function checkEntry({ agent_name: agent, ...words }: Note): void {
  settleNote({ agent, ...words });
}

export async function writeEntry({ agent_name: agent, ...words }: Note, call: Call) {
  // An invalid one is refused before the palace is made.
  settleNote({ agent, ...words });
  const written = await call.service.writeDiary({ agent, ...words }, call);
  const { entryId, ...rest } = written.entry;
  const [first, ...more] = written.drawerIds;
  return {
    success: true,
    entry_id: entryId,
    ...rest,
    chunks: written.drawerIds.length,
    ...(more.length > 0 ? { chunk_ids: written.drawerIds.slice(0, IDS_SHOWN) } : { drawer_id: first }),
    ...(written.already ? { reason: 'already_exists' } : {}),
    ...redactions(written.redacted),
  };
}

export const DIARY_TOOLS: readonly Tool[] = [write, read, aaak];
