import type { z } from 'zod';
import { documents as answered } from '../../../src/rest/documents.js';
import { collecting } from './collecting.js';
import { filing } from './filing.js';
import { finding } from './finding.js';
import { forgetting } from './forgetting.js';
import { knowing } from './knowing.js';
import { setup } from './setup.js';
import { upkeep } from './upkeep.js';

/** The documents of commands that are no operations, under --json, described in docs/json-output.md. They are strict: a field is added in both. */
export const documents = {
  ...answered,
  ...finding,
  ...knowing,
  ...collecting,
  ...filing,
  ...forgetting,
  ...upkeep,
  ...setup,
} satisfies Record<string, z.core.$ZodType>;
