import { z } from 'zod';
import { documents } from '../../../src/rest/documents.js';
import { notice, text } from './words.js';

/** What was found, and its surroundings. */
export const finding = {
  showSeveral: z.strictObject({
    notice,
    shown: z.array(z.union([documents.showDrawer, documents.showSource])),
    not_shown: z.array(z.strictObject({ name: text, reason: text })),
  }),
};
