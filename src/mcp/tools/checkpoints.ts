import { z } from 'zod';
import { Budget } from '../../operations/budget.js';
import { checkpointJson } from '../../presentation/checkpoints.js';
import { maxTokens, text } from '../fields.js';
import { defineTool, type Tool } from '../tool.js';

const resume = defineTool({
  name: 'mempalace_resume',
  title: 'Where a session stood',
  description:
    'The last checkpoint of a session, or of the last session in your folder: last requests, open tasks, changed files, errors without a later success, summary.',
  input: z.object({
    session: text('id of a session (default: the last one in your folder)'),
    max_tokens: maxTokens(2_000),
  }),
  output: z.looseObject({ found: z.boolean(), content: z.string().optional() }),
  inWing: true,
  async run({ session: name, max_tokens: tokens }, call) {
    const directories = name === undefined ? [...(await call.folders())] : undefined;
    const asked = { name, directories, limit: 1, offset: 0 };
    const [last] = (await call.service.checkpoints(asked, call)).checkpoints;
    if (last === undefined) return { found: false };
    const { content: whole, ...place } = checkpointJson(last);
    const budget = new Budget(tokens);
    budget.take([place]);
    const { text: content, cut } = budget.shorten(whole, 1);
    return { found: true, ...place, content, ...(cut ? { cut } : {}) };
  },
});

export const CHECKPOINT_TOOLS: readonly Tool[] = [resume];
