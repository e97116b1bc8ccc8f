import { z } from 'zod';
import { documents } from '../presentation/documents/index.js';

/** What addresses answer: the documents of commands, and what only a server can say. */
export const answers = {
  ...documents,
  /** A run goes on: `run` is in its events. */
  runStarted: z.strictObject({ command: z.string(), run: z.string() }),
};
