import { documentOf } from '../../src/adapters/rest.js';
import { OPERATIONS } from '../../src/operations/all.js';
import { documents as others } from '../../src/presentation/documents/index.js';

type OfOperations = { [Name in keyof typeof OPERATIONS]: ReturnType<(typeof OPERATIONS)[Name]['output']> };

/** The schemas of all documents that commands print under --json. */
export const documents = {
  ...others,
  ...(Object.fromEntries(
    Object.entries(OPERATIONS).map(([name, each]) => [name, documentOf(each)]),
  ) as OfOperations),
};
