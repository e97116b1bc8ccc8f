import type { z } from 'zod';
import { embed } from './lending.js';
import { pulse, readiness, reopen } from './listing.js';
import type { Method } from './methods.js';
import { drift, show, text, wakeUp } from './reading.js';
import { announceSources, filedSources, fileReceived, receiveText } from './receiving.js';

/** What goes into each method, and what comes out: plain data that survives JSON. */
export const SCHEMAS = {
  show,
  text,
  wakeUp,
  drift,
  readiness,
  pulse,
  embed,
  filedSources,
  announceSources,
  receiveText,
  fileReceived,
  reopen,
} satisfies Record<Method, { input: z.ZodType; output: z.ZodType }>;
