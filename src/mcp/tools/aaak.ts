import { z } from 'zod';
import { AAAK_SPEC } from '../../knowledge/diary/index.js';
import { defineTool } from '../tool.js';

export const aaak = defineTool({
  name: 'mempalace_get_aaak_spec',
  title: 'The AAAK notation',
  description: 'A short notation for notes to yourself. Optional: plain words work as well.',
  input: z.object({}),
  output: z.looseObject({ aaak_spec: z.string() }),
  inWing: true,
  run: async () => ({ aaak_spec: AAAK_SPEC }),
});
