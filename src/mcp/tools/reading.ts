import * as z from 'zod/mini';
import { UserError } from '../../core/errors.js';
import { NOTICE } from '../../core/outside.js';
import { Budget, beginningOf } from '../../operations/budget.js';
import { drawerJson, sourceJson, turnsFor } from '../../operations/drawer-fields.js';
import { field, LONGEST_NAME, named, offset } from '../../operations/fields.js';
import { ask } from '../../operations/operation.js';
import { showing } from '../../operations/reading/show.js';
import { askedOf, shownAs } from '../../operations/reading/shown.js';
import { drawerFor, sourceFor } from '../../operations/source.js';
import { told } from '../../operations/told.js';
import { estimateTokens } from '../../reading/index.js';
import type { Answer, Drawer, Shown, ShownSource } from '../../service/contract/index.js';
import { type Call, defineTool } from '../tool.js';

/** Drawers and sources of one call, at most. */
const MOST_SHOWN = 20;
const MOST_AROUND = 20;
/** A shorter beginning of a text is useless, tokens. */
const LEAST_TEXT = 40;
/** Tokens of a part of a source, so that every call progresses. */
const LEAST_PART = 50;

export const show = defineTool({
  name: 'mempalace_show',
  title: 'Read a drawer or a whole source',
  description:
    'The text of a drawer with its neighbours, or of a whole session or document, word for word. A long text comes in parts: continue with next_offset.',
  input: () =>
    z.strictObject({
      id: field(
        z.optional(z.string().check(z.maxLength(LONGEST_NAME))),
        'a drawer_id, session_id, source_file or its end',
      ),
      ids: field(
        z.optional(z.array(named()).check(z.minLength(1), z.maxLength(MOST_SHOWN))),
        'several, instead of id',
      ),
      radius: field(
        z._default(z.int().check(z.minimum(0), z.maximum(MOST_AROUND)), 0),
        'drawers around a drawer',
      ),
      offset: offset('of a source: characters to skip'),
    }),
  inWing: true,
  core: true,
  tokens: 4_000,
  async run({ id, ids, radius, offset }, call, tokens): Promise<Answer> {
    const ask = (name: string) => shownAs(call.service, { name, radius }, call);
    if ((id === undefined) === (ids === undefined))
      throw new UserError('usage', 'either id or ids is needed');
    if (id !== undefined) return shownWithin(await ask(id), offset, tokens, call);
    if (offset > 0) throw new UserError('usage', 'offset is for one id');
    const shown: Record<string, unknown>[] = [];
    const missing: { id: string; error: string }[] = [];
    const budget = new Budget(tokens);
    for await (const { name, found, trouble } of askedOf(ids ?? [], ask)) {
      const left = (ids ?? []).length - shown.length - missing.length;
      if (found === undefined) {
        missing.push({ id: name, error: trouble?.message ?? '' });
        budget.spend(missing.at(-1));
        continue;
      }
      const { notice: _, ...answer } = await shownWithin(found, 0, Math.floor(budget.left / left), call);
      shown.push(answer);
      budget.spend(answer);
    }
    return { notice: NOTICE, shown, ...(missing.length > 0 ? { not_shown: missing } : {}) };
  },
});

/** What a name stands for, in at most `tokens`. */
async function shownWithin(found: Shown, offset: number, tokens: number, call: Call) {
  const budget = new Budget(tokens);
  if (found.kind === 'source') {
    const { source } = found;
    const facts = { ...sourceFor(sourceJson(source, 0)), drawers: source.drawers, chars: source.chars };
    budget.spend(facts);
    const { text: part, turns } = await partOf(found, offset, budget, call);
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
  const { drawer, passage, previous, next, count: drawers } = found;
  const facts = { ...sourceFor(sourceJson(drawer, 0)), drawers };
  budget.spend(facts);
  return {
    kind: 'drawer' as const,
    notice: NOTICE,
    source: facts,
    drawers: shorten(passage, drawer, budget),
    ...told({ previous, next }),
  };
}

/**
 * Drawers with as much of their texts as fits: the requested one first, then the nearest. A drawer that leaves no room
 * for a useful beginning is omitted.
 */
function shorten(passage: readonly Drawer[], asked: Drawer, budget: Budget) {
  const distance = ({ chunkIndex }: Drawer): number => Math.abs(chunkIndex - asked.chunkIndex);
  const nearest = [...passage]
    .sort((a, b) => distance(a) - distance(b))
    .map((drawer) => ({
      drawer,
      shape: {
        ...drawerFor(drawerJson(drawer), drawer),
        ...(passage.length > 1 && drawer.drawerId === asked.drawerId ? { asked_for: true } : {}),
      },
    }));
  let room = budget.left;
  const kept = nearest.filter(({ shape }, index) => {
    room -= estimateTokens(JSON.stringify(shape)) + LEAST_TEXT;
    return index === 0 || room >= 0;
  });
  for (const { shape } of kept) budget.spend(shape);
  return kept
    .map(({ drawer, shape }, index) => {
      // The requested drawer may take half of the room, or more when it is the only one.
      const sharers = index === 0 ? Math.min(2, kept.length) : kept.length - index;
      return { at: drawer.chunkIndex, shape: { ...shape, ...budget.shorten(drawer.text, sharers) } };
    })
    .sort((a, b) => a.at - b.at)
    .map(({ shape }) => shape);
}

/** A part of a source's text from an offset, UTF-16 units. */
async function partOf({ source, turns: marks }: ShownSource, offset: number, budget: Budget, call: Call) {
  const { sourceKey, hash, kind } = source;
  const chars = Math.max(LEAST_PART, budget.left) * 4 + 1;
  const { text } = await ask(call.service, showing.textPart, { sourceKey, hash, offset, chars }, call);
  if (text === '' && offset > 0) {
    throw new UserError('usage', `the text ends before ${offset}`, { hint: 'begin again with offset 0' });
  }
  const turns = (part: string) => turnsFor({ kind, text: part, charStart: offset, turns: marks });
  // Text and turns must fit together. A shorter text has at most as many turns.
  budget.spend(turns(beginningOf(text, budget.left)));
  const { text: part } = budget.shorten(text, 1, LEAST_PART);
  return { text: part, turns: turns(part) };
}
