import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseObject, parseStrings } from '../../../src/store/db/json.js';

const damaged = expect.objectContaining({ name: 'UserError', code: 'palace-damaged' });

it('values of the palace are read back', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.dictionary(fc.string(), fc.jsonValue()), (texts, object) => {
      expect(parseStrings(JSON.stringify(texts), 'texts')).toEqual(texts);
      expect(JSON.stringify(parseObject(JSON.stringify(object), 'object'))).toBe(JSON.stringify(object));
    }),
  );
});

it.each(['', '{', 'null', '[1]', '{"a":1}', '"a"'])('%s is not a list of texts', (json) => {
  expect(() => parseStrings(json, 'texts')).toThrowError(damaged);
});

it.each(['', '{', 'null', '[1]', '"a"', '1'])('%s is not an object', (json) => {
  expect(() => parseObject(json, 'object')).toThrowError(damaged);
});
