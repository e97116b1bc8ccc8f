import { z } from 'zod';
import { NOTICE } from '../../core/outside.js';
import { conflictFor, resolvedJson } from '../../presentation/conflicts.js';
import { factFor } from '../../presentation/facts.js';
import { Budget } from '../budget.js';
import { factSchema, maxTokens, redactions } from '../fields.js';
import { defineTool, type Tool } from '../tool.js';

const factId = z.string().min(1).max(64);

const list = defineTool({
  name: 'mempalace_kg_conflicts',
  title: 'Facts that contradict each other',
  description:
    'Facts of one subject and predicate with different objects that are true now, with their ids. mempalace_kg_resolve decides between two.',
  input: z.object({ max_tokens: maxTokens(4_000) }),
  output: z.looseObject({
    conflicts: z.array(
      z.looseObject({ subject: z.string(), predicate: z.string(), facts: z.array(factSchema) }),
    ),
    count: z.number(),
    total: z.number(),
  }),
  async run({ max_tokens: tokens }, call) {
    const now = new Date();
    const { conflicts } = await call.service.conflicts({}, call);
    const kept = new Budget(tokens).take(conflicts.map((each) => conflictFor(each, now)));
    return { notice: NOTICE, conflicts: kept, count: kept.length, total: conflicts.length };
  },
});

const resolve = defineTool({
  name: 'mempalace_kg_resolve',
  title: 'Decide between two facts',
  description:
    'Ends one of two facts that contradict each other, which stays as history, and files your reason where search finds it. Ask the user when you are not sure.',
  input: z.object({
    triple_id: factId.describe('of a fact'),
    other_id: factId.describe('of the fact that contradicts it'),
    keep: factId.describe('the one of the two that is true'),
    because: z.string().min(1).max(10_000).describe('why'),
  }),
  output: z.looseObject({
    success: z.boolean(),
    kept: factSchema,
    ended: factSchema,
    source_key: z.string(),
  }),
  writes: true,
  logged: (_, { kept, ended }) => ({ kept: kept.triple_id, ended: ended.triple_id }),
  async run({ triple_id: one, other_id: other, keep, because }, call) {
    const now = new Date();
    const resolved = await call.service.resolveConflict({ facts: [one, other], keep, because }, call);
    const { redacted, ...done } = resolvedJson(resolved, now);
    const { kept, ended } = resolved;
    const shown = { kept: factFor(kept, now), ended: factFor(ended, now) };
    return { success: true, ...done, ...shown, ...redactions(redacted) };
  },
});

export const CONFLICT_TOOLS: readonly Tool[] = [list, resolve];
