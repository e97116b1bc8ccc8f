import { z } from 'zod';
import { PRIORITIES } from './importance.js';

/** Conditions for drawers that a user may state and store; absent ones allow everything. */
export const drawerFilter = z.object({
  wing: z.string().optional(),
  room: z.string().optional(),
  /** First and last day, `YYYY-MM-DD`. */
  since: z.string().optional(),
  until: z.string().optional(),
  /** A glob. */
  source: z.string().optional(),
  session: z.string().optional(),
  directory: z.string().optional(),
  /** A file that sessions read or changed: an absolute path, or the end of one. */
  file: z.string().optional(),
  /** `document`, `conversation`, `diary`, …, or what documents declare in their front matter. */
  type: z.string().optional(),
  priority: z.enum(PRIORITIES).optional(),
});
