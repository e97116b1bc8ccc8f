import * as z from 'zod/mini';
import { documentOf } from '../../src/adapters/rest.js';
import { NOTICE } from '../../src/core/outside.js';
import { OPERATIONS } from '../../src/operations/all.js';
import type { AnyOperation } from '../../src/operations/operation.js';
import { searchDocuments } from '../../src/operations/search/document.js';
import { documents as others } from './documents/index.js';

type OfOperations = { [Name in keyof typeof OPERATIONS]: ReturnType<(typeof OPERATIONS)[Name]['output']> };

// The others have only a tool, or are asked by programs.
const described = Object.entries<AnyOperation>(OPERATIONS).filter(
  ([, { summary, address }]) => summary !== undefined || address !== undefined,
);

/** The schemas of all documents that commands print under --json. */
export const documents = {
  ...others,
  /** Of `search --format index`. */
  searchIndex: z.extend(searchDocuments().index, { notice: z.literal(NOTICE) }),
  ...(Object.fromEntries(described.map(([name, each]) => [name, documentOf(each)])) as OfOperations),
};
