import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isRecord } from '../../../src/core/json.js';
import { isStrings, parseStored } from '../../../src/store/db/json.js';

const damaged = expect.objectContaining({ name: 'UserError', code: 'palace-damaged' });

it('values of the palace are read back', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.dictionary(fc.string(), fc.jsonValue()), (texts, object) => {
      expect(parseStored(JSON.stringify(texts), 'texts', isStrings)).toEqual(texts);
      expect(JSON.stringify(parseStored(JSON.stringify(object), 'object', isRecord))).toBe(
        JSON.stringify(object),
      );
    }),
  );
});

it.each(['', '{', 'null', '[1]', '{"a":1}', '"a"'])('%s is not a list of texts', (json) => {
  expect(() => parseStored(json, 'texts', isStrings)).toThrowError(damaged);
});

it.each(['', '{', 'null', '[1]', '"a"', '1'])('%s is not an object', (json) => {
  expect(() => parseStored(json, 'object', isRecord)).toThrowError(damaged);
});
