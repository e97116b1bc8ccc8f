import { collections } from './collections/index.js';
import { diary } from './diary.js';
import { drawers } from './drawers/index.js';
import { facts } from './facts/index.js';
import { forgetting } from './forgetting.js';
import { listing } from './listing/index.js';
import { marks } from './marks.js';
import type { AnyOperation } from './operation.js';
import { reading } from './reading/index.js';
import { search } from './search/index.js';
import { suggestions } from './suggestions.js';
import { tasks } from './tasks.js';
import { waking } from './wake-up/index.js';

/** All operations. */
export const OPERATIONS = {
  search,
  ...listing,
  ...reading,
  ...waking,
  ...suggestions,
  ...drawers,
  ...marks,
  ...diary,
  ...facts,
  ...forgetting,
  ...collections,
  ...tasks,
};

/** By the names of their documents in docs/json-output.md. */
export const NAMED_OPERATIONS: readonly (readonly [document: string, operation: AnyOperation])[] =
  Object.entries<AnyOperation>(OPERATIONS).map(([name, each]) => [each.document ?? name, each]);
