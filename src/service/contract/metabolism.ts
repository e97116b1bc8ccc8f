import { z } from 'zod';
import { OUTPUTS, STEPS } from '../../core/metabolism.js';

const count = z.int().min(0);
const day = z.string();

/** What is often used, proved itself, or was never used. It proposes, and changes nothing. */
export const metabolism = {
  input: z.object({
    leastUses: z.int().min(1),
    /** Content before it is old. */
    oldBefore: day,
    /** Nothing is called never used unless uses were counted since this day. */
    countedBefore: day,
    /** `wing` or `wing/room`. */
    cold: z.array(z.string()),
  }),
  output: z.object({
    /** The first day with a use that is still known. */
    since: day.nullable(),
    /** Drawers that were used. */
    used: count,
    proposals: z.array(
      z.object({
        id: z.string(),
        step: z.enum(STEPS),
        output: z.enum(OUTPUTS).nullable(),
        wing: z.string(),
        room: z.string(),
        title: z.string().nullable(),
        sourceKey: z.string().nullable(),
        drawerId: z.string().nullable(),
        /** The beginning of the drawer. */
        passage: z.string().nullable(),
        /** Root of its project on the palace's machine. */
        root: z.string().nullable(),
        found: count,
        opened: count,
        days: count,
        day,
      }),
    ),
    /** Projects with a reflection wing. */
    reflectionWings: z.array(z.string()),
  }),
};
