/** Fields that several operations take or answer. */

import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';

// Its messages tell a missing value from a wrong one.
z.config(en());

/** What the channels say about a field of an input. */
export interface About {
  /** For people. */
  description: string;
  /** Its form in a terminal, where it is not `--its-name <n>`: `<entity>`, `[new]`, `<id> <other>`; null: not there. */
  cli?: string | null;
  /** What agents are told instead. */
  agents?: string;
  /** Its name in the tool where that is another one, or those of the parts of a tuple; null: agents do not set it. */
  tool?: string | readonly string[] | null;
  /** Only people at a terminal set it. */
  terminalOnly?: true;
  /** A day or a second; in a terminal and in an address also a day in words. */
  moment?: true;
}

export const ABOUT = z.registry<About>();

/** A field with what is said about it. */
export function field<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  more: Omit<About, 'description'> = {},
): Schema {
  ABOUT.add(schema, { description, ...more });
  return schema;
}

export const count = z.int().check(z.minimum(0));
export const share = z.number().check(z.minimum(0), z.maximum(1));
export const name = z.nullable(z.string());
export const instant = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?$/));
export const drawerId = z.string().check(z.regex(/^drawer_[0-9a-f]{24}$/));
/** Redactions by kind. */
export const redacted = z.record(z.string(), count);

/** Rows of an answer, at most. */
const MOST_ROWS = 1_000;

export const limit = (usual: number, description: string, agents = 'at most') =>
  field(z._default(z.int().check(z.minimum(1), z.maximum(MOST_ROWS)), usual), description, { agents });
export const offset = (description: string, agents?: string) =>
  field(z._default(z.int().check(z.minimum(0)), 0), description, agents === undefined ? {} : { agents });
/** Text that is not empty. */
export const text = () => z.string().check(z.minLength(1));
export const moment = (description: string, more: Omit<About, 'description'> = {}) =>
  field(z.optional(text()), description, {
    moment: true,
    agents: 'YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ',
    ...more,
  });
export const redact = () =>
  field(z._default(z.boolean(), true), 'store secrets unchanged', { cli: '--no-redact', terminalOnly: true });
