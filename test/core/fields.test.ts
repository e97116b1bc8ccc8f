import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as field from '../../src/core/fields.js';

const json = {
  a: { text: 'x', empty: '', number: 7, endless: Number.POSITIVE_INFINITY, list: [1, {}], none: null },
};

it('finds a field by its path, if it has the type', () => {
  expect(field.text(json, 'a', 'text')).toBe('x');
  expect(field.text(json, 'a', 'empty')).toBe('');
  expect(field.name(json, 'a', 'empty')).toBeUndefined();
  expect(field.number(json, 'a', 'number')).toBe(7);
  expect(field.number(json, 'a', 'endless')).toBeUndefined();
  expect(field.object(json, 'a', 'list')).toBeUndefined();
  expect(field.objects(json, 'a', 'list')).toEqual([{}]);
  expect(field.value(json, 'a', 'none')).toBeNull();
  expect(field.text('alone')).toBe('alone');
});

it('counts every other value as missing', () => {
  const found = fc.tuple(fc.jsonValue(), fc.array(fc.constantFrom('a', 'b', '0', 'length')));
  fc.assert(
    fc.property(found, ([value, path]) => {
      expect(['string', 'undefined']).toContain(typeof field.text(value, ...path));
      expect(['number', 'undefined']).toContain(typeof field.number(value, ...path));
      expect(field.name(value, ...path)).not.toBe('');
      expect(Array.isArray(field.object(value, ...path) ?? {})).toBe(false);
      expect(Array.isArray(field.list(value, ...path))).toBe(true);
    }),
  );
});
