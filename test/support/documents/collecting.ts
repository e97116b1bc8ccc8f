import { z } from 'zod';
import { EXPORT_FORMATS } from '../../../src/operations/collections/export-formats.js';
import { count, text } from './words.js';

export const collecting = {
  collectionExport: z.strictObject({
    command: z.literal('mempalace collection'),
    to: text,
    format: z.enum(EXPORT_FORMATS),
    drawers: count,
  }),
};
