import { z } from 'zod';
import { NOTICE } from '../../core/outside.js';
import { present, sourceFor } from '../../presentation/drawers.js';
import { fileNotes, useJson } from '../../presentation/file-uses.js';
import { Budget } from '../budget.js';
import { count, maxTokens, named } from '../fields.js';
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
    max_tokens: maxTokens(2000),
  }),
  output: z.looseObject({
    file: z.string(),
    notice: z.string(),
    total: z.number(),
    sources: z.array(
      z.looseObject({
        source_file: z.string(),
        day: z.string(),
        uses: z.array(z.looseObject({ action: z.string(), drawer_id: z.string() })),
      }),
    ),
    notes: z.array(z.string()),
  }),
  core: true,
  async run({ file, limit, offset, max_tokens: tokens }, call) {
    const found = await call.service.byFile({ file, limit, offset, uses: USES }, call);
    const notes = fileNotes(found);
    const head = { file: found.file, notice: NOTICE, total: found.total };
    const budget = new Budget(tokens);
    budget.spend({ ...head, notes });
    const shapes = found.sources.map((source) => ({
      ...sourceFor(source),
      source_file: source.sourceFile,
      day: source.day,
      uses: source.uses.map((use) => ({
        action: use.action,
        drawer_id: use.drawerId,
        ...present(useJson(use)),
      })),
      ...(source.usesTotal > source.uses.length ? { uses_total: source.usesTotal } : {}),
    }));
    const kept = budget.take(shapes);
    if (kept.length < shapes.length)
      notes.push(`no room for more: offset ${offset + kept.length}, or max_tokens`);
    return { ...head, sources: kept, notes };
  },
});

export const FILE_TOOLS: readonly Tool[] = [byFile];
