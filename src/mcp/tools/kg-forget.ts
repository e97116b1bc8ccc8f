import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { factSchema } from '../fields.js';
import { defineTool } from '../tool.js';

export const forgetFact = defineTool({
  name: 'mempalace_kg_forget',
  title: 'Erase a fact that was stored by mistake',
  description:
    'Reports what would be erased; with dry_run false it erases a fact permanently, in kept backups too, and no import restores it. For facts that were never true; end others with kg_invalidate. Ask the user first.',
  input: z.object({
    triple_id: z.string().min(1).max(64).describe('of a fact'),
    dry_run: z.boolean().default(true).describe('touch nothing'),
  }),
  output: z.looseObject({ success: z.boolean(), dry_run: z.boolean(), forgotten: z.array(factSchema) }),
  writes: true,
  destructive: true,
  idempotent: true,
  logged: ({ triple_id, dry_run }) => ({ triple_id, dry_run }),
  async run({ triple_id: id, dry_run: dryRun }, call) {
    const args = ['kg', 'forget', ...(dryRun ? ['--dry-run'] : ['--yes']), '--', id];
    const { command: _, ...result } = forgotten.parse(
      await call.host.program('mempalace', args, call.signal),
    );
    if (result.forgotten.length === 0)
      throw new UserError('not-found', `there is no fact ${id}`, {
        hint: 'kg_query shows facts with their ids',
      });
    return { success: true, ...result, dry_run: dryRun };
  },
});

const forgotten = z.looseObject({ forgotten: z.array(factSchema) });
