import { z } from 'zod';
import { documentOf } from '../adapters/rest.js';
import { NAMED_OPERATIONS } from '../operations/all.js';
import { documents } from '../presentation/documents/index.js';

/** What addresses answer: the documents of commands, and what only a server can say. */
export const answers: Readonly<Record<string, z.core.$ZodType>> = {
  ...documents,
  ...Object.fromEntries(NAMED_OPERATIONS.map(([name, operation]) => [name, documentOf(operation)])),
  /** A run goes on: `run` is in its events. */
  runStarted: z.strictObject({ command: z.string(), run: z.string() }),
};
