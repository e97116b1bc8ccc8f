import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as shape from '../../src/core/shape.js';

/** Each shape, and the schema of zod that it stands for. */
const PAIRS: [string, shape.Shape<unknown>, z.ZodType][] = [
  ['string', shape.string, z.string()],
  ['number', shape.number, z.number()],
  ['boolean', shape.boolean, z.boolean()],
  ['record', shape.record, z.looseObject({})],
  ['literal', shape.literal('a', null), z.union([z.literal('a'), z.null()])],
  ['maybe', shape.maybe(shape.string), z.string().optional().catch(undefined)],
  ['orElse', shape.orElse(shape.string, 'else'), z.string().catch('else')],
  ['array', shape.array(shape.number), z.array(z.number())],
  ['union', shape.union(shape.string, shape.number), z.union([z.string(), z.number()])],
];

const scalar = fc.oneof(
  fc.constantFrom<unknown>('a', '', 'b', null, undefined, true, Number.POSITIVE_INFINITY),
  fc.integer(),
);
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b'), scalar),
);

describe('shapes read what the schema of zod reads', () => {
  it.each(PAIRS)('%s', (_, shaped, schema) => {
    const exact = shape.object({ a: shaped });
    fc.assert(
      fc.property(value, scalar, (each, other) => {
        expect(shape.shaped(shaped, each)).toEqual(schema.safeParse(each).data);
        for (const fields of [{ a: each, b: other }, { b: other }])
          expect(shape.shaped(exact, fields)).toEqual(z.object({ a: schema }).safeParse(fields).data);
        if (!shape.shaped(shape.record, each))
          expect(shape.shaped(exact, each)).toEqual(z.object({ a: schema }).safeParse(each).data);
      }),
    );
  });
});
