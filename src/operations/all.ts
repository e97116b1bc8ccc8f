import { facts } from './facts/index.js';
import { listing } from './listing/index.js';
import { marks } from './marks.js';
import type { AnyOperation } from './operation.js';

/** All operations, by the names of their documents in docs/json-output.md. */
export const OPERATIONS = { ...listing, ...facts, ...marks };

export const NAMED_OPERATIONS: readonly (readonly [document: string, operation: AnyOperation])[] =
  Object.entries(OPERATIONS);
