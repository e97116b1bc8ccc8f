import { z } from 'zod';
import { NOTICE } from '../../core/outside.js';
import { PATTERN_KINDS } from '../../core/pattern-kinds.js';
import { Budget } from '../../operations/budget.js';
import { present } from '../../presentation/drawers.js';
import { occurrenceJson, patternNotes } from '../../presentation/patterns.js';
import { count, maxTokens, text } from '../fields.js';
import { didNotFit } from '../hits-answer.js';
import { defineTool, type Tool } from '../tool.js';

const OCCURRENCES = 3;

const patterns = defineTool({
  name: 'mempalace_patterns',
  title: 'What recurs',
  description:
    'Errors that occurred in several sessions, with what fixed them, and decisions, preferences and architecture that were written down more than once; each with drawer_id. Use it when something fails.',
  input: z.object({
    kind: z.enum(PATTERN_KINDS).optional(),
    file: text('only errors about this file, or fixed in it'),
    project: text('only errors of sessions in this folder, absolute'),
    limit: count(1, 100, 10),
    offset: count(0, 4000, 0),
    max_tokens: maxTokens(2000),
  }),
  output: z.looseObject({
    notice: z.string(),
    total: z.number(),
    patterns: z.array(
      z.looseObject({
        kind: z.string(),
        text: z.string(),
        count: z.number(),
        occurrences: z.array(z.looseObject({ day: z.string(), source: z.string() })),
      }),
    ),
    notes: z.array(z.string()),
  }),
  core: false,
  async run({ kind, file, project: directory, limit, offset, max_tokens: tokens }, call) {
    const asked = { kind, file, directory, limit, offset, occurrences: OCCURRENCES };
    const found = await call.service.patterns(asked, call);
    const notes = patternNotes(found);
    const head = { notice: NOTICE, total: found.total };
    const budget = new Budget(tokens);
    budget.spend({ ...head, notes });
    const shapes = found.patterns.map(({ occurrences, tool, ...pattern }) => ({
      ...pattern,
      ...present({ tool }),
      occurrences: occurrences.map((each) => ({
        day: each.day,
        source: each.source,
        ...present(occurrenceJson(each)),
      })),
    }));
    const kept = budget.take(shapes);
    const left = shapes.length - kept.length;
    if (left > 0) notes.push(didNotFit(left, offset + kept.length));
    return { ...head, patterns: kept, notes };
  },
});

export const PATTERN_TOOLS: readonly Tool[] = [patterns];
