import { z } from 'zod';
import { OUTPUTS } from '../../core/metabolism.js';
import { documents } from '../../presentation/documents/index.js';
import { defineAction } from '../action.js';
import { machineOf } from '../route.js';

const apply = defineAction({
  path: '/metabolism/apply',
  command: 'mempalace metabolism --apply',
  summary: 'Applies a proposal (page of this machine only)',
  body: z.strictObject({
    id: z
      .string()
      .regex(/^[a-z]+-[0-9a-f]+$/)
      .describe('of the proposal'),
    as: z.enum(OUTPUTS).describe('type of the draft').optional(),
    into: z.string().min(1).describe('the palace of files for the draft').optional(),
  }),
  documents: ['metabolismApplied'],
  async act({ id, as, into }, asked) {
    const options = [
      ...(as === undefined ? [] : [`--as=${as}`]),
      ...(into === undefined ? [] : [`--into=${into}`]),
    ];
    const applied = await machineOf(asked).applyProposal(id, options, asked.call.signal);
    return documents.metabolismApplied.parse(applied);
  },
  logged: (body) => body,
});

export const proposing = [apply];
