import { z } from 'zod';
import { line, NOTICE } from '../../core/outside.js';
import { Budget } from '../../operations/budget.js';
import { present, sourceFor } from '../../presentation/drawers.js';
import { fileNotes, useJson } from '../../presentation/file-uses.js';
import type { ByFile } from '../../service/contract/index.js';
import { count, maxTokens, named } from '../fields.js';
import { didNotFit, hitFormat } from '../hits-answer.js';
import { defineTool, type Tool } from '../tool.js';

const USES = 5;

const byFile = defineTool({
  name: 'mempalace_by_file',
  title: 'The history of a file',
  description:
    'Sessions and documents that read, changed or spoke of a file, newest first, each with what was done, the date and drawer_id. Use it before you change a file; then read on with mempalace_timeline.',
  input: z.object({
    file: named().describe('an absolute path, or its end, as src/auth.ts'),
    limit: count(1, 100, 10),
    offset: count(0, 4000, 0),
    format: hitFormat,
    max_tokens: maxTokens(2000),
  }),
  output: z.looseObject({
    file: z.string(),
    notice: z.string(),
    total: z.number(),
    sources: z
      .array(
        z.looseObject({
          source_file: z.string(),
          day: z.string(),
          uses: z.array(z.looseObject({ action: z.string(), drawer_id: z.string() })),
        }),
      )
      .optional(),
    index: z.array(z.string()).optional(),
    notes: z.array(z.string()),
  }),
  core: true,
  async run({ file, limit, offset, format, max_tokens: tokens }, call) {
    const found = await call.service.byFile({ file, limit, offset, uses: USES }, call);
    const notes = fileNotes(found);
    const head = { file: found.file, notice: NOTICE, total: found.total };
    const budget = new Budget(tokens);
    budget.spend({ ...head, notes });
    const shown =
      format === 'index'
        ? { index: budget.take(found.sources.map(lineOf)) }
        : { sources: budget.take(found.sources.map(shapeOf)) };
    const count = (shown.index ?? shown.sources).length;
    const left = found.sources.length - count;
    if (left > 0) notes.push(didNotFit(left, offset + count));
    return { ...head, ...shown, notes };
  },
});

type Source = ByFile['sources'][number];

function shapeOf(source: Source) {
  return {
    ...sourceFor(source),
    source_file: source.sourceFile,
    day: source.day,
    uses: source.uses.map((use) => ({
      action: use.action,
      drawer_id: use.drawerId,
      ...present(useJson(use)),
    })),
    ...(source.usesTotal > source.uses.length ? { uses_total: source.usesTotal } : {}),
  };
}

/** The drawer of its newest use, day, what was done, and title. */
function lineOf(source: Source): string {
  const actions = [...new Set(source.uses.map(({ action }) => action))].join(', ');
  const named = source.title === null || source.title === '' ? source.sourceFile : source.title;
  return `${source.uses[0]?.drawerId ?? ''} ${source.day} ${actions} | ${line(named)}`;
}

export const FILE_TOOLS: readonly Tool[] = [byFile];
