import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { NOTICE } from '../../core/outside.js';
import { agentOf } from '../../knowledge/diary/index.js';
import { drawerFor, present, sourceFor, turnsFor } from '../../presentation/drawers.js';
import { LEAST_TOKENS, wakeUpOf } from '../../presentation/wake-up.js';
import { estimateTokens, findTarget, placeOf, timelineOf } from '../../reading/index.js';
import type { Palace, SourceView } from '../../store/index.js';
import { Budget, beginningOf } from '../budget.js';
import { count, maxTokens, named, text, wing } from '../fields.js';
import { drawerAnswer, timelineAnswer } from '../timeline-answer.js';
import { defineTool, type Tool } from '../tool.js';

const SAME_DAY_SHOWN = 10;
/** Tokens of a part of a source, so that every call comes further. */
const LEAST_PART = 50;

const drawerId = named().describe('of a hit, or its first 8 digits');

const timeline = defineTool({
  name: 'mempalace_timeline',
  title: 'What stands around a drawer',
  description:
    'A drawer, the passages before and after it in its session or document, and what else happened on that day. Use it after a search, to see how a matter came about and went on.',
  input: z.object({
    drawer_id: drawerId,
    radius: count(0, 20, 2, 'drawers before and after'),
    max_tokens: maxTokens(3000),
  }),
  output: z.looseObject({
    drawer_id: z.string(),
    notice: z.string(),
    day: z.string(),
    drawers: z.array(z.looseObject({ drawer_id: z.string(), text: z.string() })),
  }),
  core: true,
  writes: false,
  async run({ drawer_id: id, radius, max_tokens: tokens }, call) {
    const palace = await call.palace();
    const found = timelineOf(palace, id, { radius, sources: SAME_DAY_SHOWN });
    return timelineAnswer(found, tokens, (drawer) => ({
      ...drawerFor(drawer),
      ...turnsFor(palace, drawer, drawer),
    }));
  },
});

const show = defineTool({
  name: 'mempalace_show',
  title: 'Read a drawer or a whole source',
  description:
    'The text of a drawer with its neighbours, or of a whole session or document, word for word. A long text comes in parts: go on with next_offset.',
  input: z.object({
    id: named().describe('a drawer_id, session_id, source_file or its end'),
    radius: count(0, 20, 0, 'drawers around a drawer'),
    offset: count(0, Number.MAX_SAFE_INTEGER, 0, 'of a source: characters to skip'),
    max_tokens: maxTokens(4000),
  }),
  output: z.looseObject({
    kind: z.enum(['drawer', 'source']),
    notice: z.string(),
    source: z.looseObject({}),
  }),
  core: true,
  writes: false,
  async run({ id, radius, offset, max_tokens: tokens }, call) {
    const palace = await call.palace();
    const target = findTarget(palace, id);
    if (target.kind === 'source') {
      const budget = new Budget(tokens);
      const { source } = target;
      const facts = { ...sourceFor(source), drawers: source.drawers, chars: source.chars };
      budget.spend(facts);
      const { text: part, turns } = partOf(palace, source, offset, budget);
      const end = offset + part.length;
      return {
        kind: 'source' as const,
        notice: NOTICE,
        source: facts,
        text: part,
        ...turns,
        ...(end < source.chars ? { cut: true, next_offset: end } : {}),
      };
    }
    const place = placeOf(palace, target.drawer, radius);
    const head = { kind: 'drawer' as const, notice: NOTICE };
    const {
      room: _,
      drawers,
      ...rest
    } = drawerAnswer(place, head, tokens, (drawer) => ({
      ...drawerFor(drawer),
      ...turnsFor(palace, drawer, drawer),
    }));
    const order = place.passage.map(({ drawerId }) => drawerId);
    drawers.sort((a, b) => order.indexOf(a.drawer_id) - order.indexOf(b.drawer_id));
    return { ...head, source: {}, ...rest, drawers };
  },
});

const wakeUp = defineTool({
  name: 'mempalace_wake_up',
  title: 'What to know at the start',
  description:
    'What to know at the start of a session, in few tokens: who the user is, what was marked as important, the last diary entries and sessions, what the palace holds. Call it once, first.',
  input: z.object({
    wing,
    agent_name: text('only the diary of this agent'),
    max_tokens: z.coerce.number().int().min(LEAST_TOKENS).max(100_000).optional(),
  }),
  output: z.looseObject({ text: z.string(), tokens: z.number() }),
  core: true,
  writes: false,
  async run({ wing: inWing, agent_name: agent, max_tokens: asked }, call) {
    const { config } = call.host;
    const palace = await call.palace();
    const answer = (tokens: number) => {
      let notes: string[] | undefined;
      const asked = { wing: inWing, tokens, agent: agent === undefined ? undefined : agentOf(agent) };
      const result = wakeUpOf(palace, config, asked, ({ reason }) => {
        if (reason !== undefined) notes = [`identity: ${reason}`];
      });
      const { text: told, tokens: spent, important, diary, sessions } = result;
      const ids = [...important, ...diary, ...sessions].map(({ drawerId: id }) => id);
      return { text: told, tokens: spent, drawer_ids: ids, ...present({ notes }) };
    };
    const whole = answer(asked ?? config.wakeUp.tokens);
    const spent = estimateTokens(JSON.stringify(whole));
    if (asked === undefined || spent <= asked) return whole;
    // The ids need room, too: the text gets its share.
    return answer(Math.max(LEAST_TOKENS, Math.floor((asked * asked) / spent)));
  },
});

export const READING_TOOLS: readonly Tool[] = [timeline, show, wakeUp];

/** A part of a source's text from an offset on, UTF-16 units; no more pieces are read than are needed. */
function partOf(palace: Palace, source: SourceView, offset: number, budget: Budget) {
  const wanted = Math.max(LEAST_PART, budget.left) * 4;
  let text = '';
  let at = 0;
  for (const piece of palace.reading.textOf(source.id)) {
    const chars = piece.toString('utf8');
    text += chars.slice(Math.max(0, offset - at));
    at += chars.length;
    if (text.length > wanted) break;
  }
  if (text === '' && offset > 0) {
    throw new UserError('usage', `the text ends before ${offset}`, { hint: 'begin again with offset 0' });
  }
  const place = { sourceId: source.id, kind: source.kind };
  const turns = (part: string) => turnsFor(palace, place, { text: part, charStart: offset });
  // Both have to fit: the marks of what would be told without them are no fewer.
  budget.spend(turns(beginningOf(text, budget.left)));
  const told = budget.tell(text, 1, LEAST_PART).text;
  return { text: told, turns: turns(told) };
}
