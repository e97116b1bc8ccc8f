import type { z } from 'zod';
import { collecting } from './collecting.js';
import { filing } from './filing.js';
import { finding } from './finding.js';
import { forgetting } from './forgetting.js';
import { knowing } from './knowing.js';
import { setup } from './setup.js';
import { upkeep } from './upkeep.js';

/** The documents that commands print under --json, described in docs/json-output.md. They are strict: a field is added in both. */
export const documents = {
  ...finding,
  ...knowing,
  ...collecting,
  ...filing,
  ...forgetting,
  ...upkeep,
  ...setup,
} satisfies Record<string, z.ZodType>;

export type Document<Name extends keyof typeof documents> = z.input<(typeof documents)[Name]>;
