/** Diaries of agents: what they write about their sessions, in their own words. */
import * as z from 'zod/mini';
import { dayOfMoment } from '../core/day.js';
import { line, NOTICE } from '../core/outside.js';
import { agentOf } from '../knowledge/diary/agent.js';
import { write, writerOf } from '../service/palace/writer.js';
import { minuteOf } from '../terminal/durations.js';
import { framedLines, joined, type View } from '../terminal/labels.js';
import { quote, TEXT } from '../terminal/quote.js';
import { warnRedacted } from '../terminal/redactions.js';
import { Budget } from './budget.js';
import {
  actor,
  agentHere,
  count,
  day,
  drawerId,
  field,
  limit,
  offset,
  redact,
  redacted,
  text,
  wing,
} from './fields.js';
import { operation } from './operation.js';
import { redactions } from './told.js';
import { inItsOwn } from './wing.js';

const knowledge = () => import('../knowledge/diary/index.js');

const place = { entry_id: z.string(), agent: z.string(), wing: z.string(), topic: z.string() };
const entry = z.strictObject({ ...place, date: day, timestamp: z.iso.datetime(), content: z.string() });

/** Drawers of an entry that agents are told, at most. */
const IDS_TOLD = 20;

const written = () =>
  z.strictObject({
    written: z.boolean(),
    ...place,
    timestamp: z.iso.datetime(),
    drawers: z.array(drawerId).check(z.minLength(1)),
    redacted,
  });

/** What an agent is told of an entry that it has written. */
export function writtenFor({
  written: isNew,
  drawers,
  redacted,
  ...entry
}: z.output<ReturnType<typeof written>>) {
  const { entry_id, agent, wing, topic, timestamp } = entry;
  const [drawer_id] = drawers;
  return {
    success: true,
    ...{ entry_id, agent, wing, topic, timestamp, chunks: drawers.length },
    ...(drawers.length > 1 ? { chunk_ids: drawers.slice(0, IDS_TOLD) } : { drawer_id }),
    ...(!isNew && { reason: 'already_exists' }),
    ...redactions(redacted),
  };
}

export const diary = {
  diaryWrite: operation({
    name: 'diary write',
    command: 'mempalace diary write',
    summary: 'Write a new entry',
    makes: true,
    inWing: inItsOwn,
    input: () =>
      z.strictObject({
        agent: actor('the name of the writer, such as opencode', 'writer'),
        entry: field(z.string(), 'the entry; - or nothing reads it from stdin', {
          cli: '[text...]',
          piped: 'mempalace diary write --agent <name> "what to remember", or pipe it in',
          agents: '',
        }),
        topic: field(z.optional(text()), 'the topic (default: general)', { agents: 'default: general' }),
        wing: wing('the wing (default: wing_<agent>)', 'default: wing_<agent>'),
        redact: redact('file secrets unchanged (search will find them)'),
      }),
    output: written,
    async check({ redact: _, ...note }) {
      (await knowledge()).settleNote(note);
    },
    async run({ redact, ...note }, context) {
      const { call, models } = context;
      const { writeDiary } = await knowledge();
      const sanitiser = await writerOf(context).sanitiser(redact);
      const { entry, already, drawerIds, redacted } = await write(context, call, (palace, run) => {
        const embedder = () => models.wait(palace.model, call.signal);
        return writeDiary(palace, note, { sanitiser, embedder, run, signal: call.signal });
      });
      const { content: _, ...place } = entry;
      return { written: !already, ...place, drawers: drawerIds, redacted };
    },
    text({ written, entry_id, redacted }, terminal) {
      warnRedacted(redacted, terminal);
      terminal.say(`${written ? 'written' : 'exists already'}: ${line(entry_id)}`);
    },
    tool: {
      name: 'mempalace_diary_write',
      title: 'Write into your diary',
      description:
        'At the end of a session, write decisions, lessons and open questions, in your own words. Stored whole; found by search, and shown at the next wake-up. Sending the same entry again does not duplicate it.',
      core: true,
      idempotent: true,
      answer: writtenFor,
      logged: ['entry_id', 'agent'],
    },
  }),
  diaryRead: operation({
    name: 'diary read',
    summary: 'Print the last entries, newest first',
    quotes: true,
    reads: true,
    inWing: inItsOwn,
    input: () =>
      z.strictObject({
        agent: field(z.optional(text()), 'the diary of this agent', {
          cli: '--agent <name>',
          usual: agentHere,
          usually: '$MEMPALACE_AGENT_NAME, else all diaries',
          tool: 'agent_name',
          ofAgents: text,
          agents: 'name of the agent',
        }),
        topic: field(z.optional(text()), 'only this topic'),
        wing: wing('only this wing'),
        limit: limit(10, 'entries to show', '', [10, 100], { cli: '--last <n>', tool: 'last_n' }),
        offset: offset('skip this many of the newest entries', ''),
      }),
    output: () => z.strictObject({ entries: z.array(entry), total: count, showing: count, offset: count }),
    async run(asked, { handle }) {
      const { entries, total } = (await knowledge()).readDiary(handle.get(), asked);
      const shown = entries.map(({ timestamp, content, ...place }) => ({
        ...place,
        date: dayOfMoment(timestamp),
        timestamp,
        content,
      }));
      return { entries: shown, total, showing: entries.length, offset: asked.offset };
    },
    isEmpty: ({ total }) => total === 0,
    text({ entries, total, offset }, terminal) {
      if (entries.length === 0 && !terminal.options.json)
        terminal.note(total === 0 ? 'no diary entries' : `no entries at offset ${offset}`);
    },
    long: ({ entries }, view) => (entries.length === 0 ? undefined : rendered(entries, view)),
    remark({ showing, total, offset }) {
      const end = offset + showing;
      return total > end ? `${total - end} older: --offset ${end} shows them` : undefined;
    },
    address: 'Diary entries, newest first',
    path: '/diary',
    tool: {
      name: 'mempalace_diary_read',
      title: 'Read a diary',
      description:
        'The last diary entries of an agent, whole, newest first. An entry too long for max_tokens is cut: mempalace_show with its entry_id continues.',
      core: true,
      tokens: 4_000,
      answer({ entries, total }, tokens, { agent }) {
        const budget = new Budget(tokens);
        const places = budget.take(entries.map(({ agent: _, content: _text, ...place }) => place));
        const shown = places.map((place, index) => {
          const sharers = places.length - index;
          const { text: content, cut } = budget.shorten(entries[index]?.content ?? '', sharers);
          return { ...place, content, ...(cut && { cut }) };
        });
        return { agent: agentOf(String(agent)), entries: shown, total, showing: shown.length };
      },
    },
  }),
};

/** Entries, each with a heading. Ends in a line feed. */
function rendered(entries: readonly z.output<typeof entry>[], view: View): string {
  const rows = [view.paint('dim', `diary (${NOTICE})`), ''];
  for (const { entry_id, agent, topic, timestamp, content } of entries) {
    const about = [
      ['bold', line(joined(agent, topic))],
      ['dim', line(entry_id)],
    ] as const;
    rows.push(view.paint('bold', minuteOf(timestamp)), ...framedLines(about, view));
    rows.push(...quote([{ speaker: TEXT, text: content }], view, { reflow: true }).rows, '');
  }
  return `${rows.join('\n').trimEnd()}\n`;
}
