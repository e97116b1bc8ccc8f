import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { issuesText } from '../../src/core/issues.js';
import { parsed } from '../../src/mcp/invoke.js';
import { ALL_TOOLS } from '../../src/mcp/registry.js';

const ODD: readonly unknown[] = [
  7,
  -1,
  1.5,
  Number.NaN,
  1e300,
  true,
  [],
  [7, {}],
  {},
  { a: 1 },
  'x',
  '2026-99-99',
  'x'.repeat(2_000_000),
  ['x', 'x'],
];
/** The library's own messages. */
const ITS_WORDS =
  /Invalid |expected |received |Too (?:small|big)|Unrecognized|Duplicate|✖|→|regex|\/\^|<=|>=/;

describe('arguments that an agent omits', () => {
  it.each(ALL_TOOLS.map((tool) => [tool.name, tool] as const))('%s may get as null', (_, tool) => {
    const shape: Record<string, z.ZodMiniType> = tool.input.shape;
    const optional = Object.keys(shape).filter((name) => shape[name]?.safeParse(undefined).success);
    const input = z.object(Object.fromEntries(optional.map((name) => [name, shape[name] ?? z.any()])));
    const wanted = parsed({ ...tool, input }, {});
    for (const absent of [null, '', 'null', 'NULL', ' null ', 'undefined', [null], ['null', null], ['']]) {
      const given = Object.fromEntries(optional.map((name) => [name, absent]));
      expect(parsed({ ...tool, input }, given), JSON.stringify(absent)).toEqual(wanted);
    }
  });

  it('may be null in a list, and in the texts of a list', () => {
    const show = ALL_TOOLS.find(({ name }) => name === 'mempalace_show');
    expect(show && parsed(show, { ids: ['a', null, 'null'] }).input).toMatchObject({ ids: ['a'] });
  });
});

describe('a list that an agent sends as a text', () => {
  const input = z.object({
    names: z.array(z.string()),
    items: z.optional(z.array(z.object({ a: z.string() }))),
  });
  const read = (args: unknown) => parsed({ name: 'x', input }, args).input;

  it('is its JSON, or has this one item', () => {
    expect(read({ names: 'a b' })).toEqual({ names: ['a b'] });
    expect(read({ names: '["a", null, "b"]', items: '[{"a": "x"}]' })).toEqual({
      names: ['a', 'b'],
      items: [{ a: 'x' }],
    });
    expect(read({ names: '{"a": 1}', items: 'null' })).toEqual({ names: ['{"a": 1}'] });
    expect(() => read({ names: ['a'], items: 'x' })).toThrow('items must be a list');
  });
});

describe('errors in arguments', () => {
  it.each(ALL_TOOLS.map((tool) => [tool.name, tool] as const))(
    '%s says it in plain words',
    (_, { input }) => {
      for (const name of Object.keys(input.shape)) {
        for (const value of ODD) {
          const read = input.safeParse({ [name]: value });
          if (read.success) continue;
          const said = issuesText(read.error, 'the arguments');
          expect(said, `${name} = ${String(value).slice(0, 20)}`).not.toMatch(ITS_WORDS);
          expect(said.length).toBeLessThan(2_000);
        }
      }
      for (const value of [7, 'x', [], null]) {
        const read = input.safeParse(value);
        if (!read.success)
          expect(issuesText(read.error, 'the arguments')).toBe('the arguments must be an object');
      }
    },
  );

  it('name the path, the type and the limits', () => {
    const schema = z.strictObject({
      limit: z.int().check(z.minimum(1), z.maximum(50)),
      name: z.string().check(z.minLength(3)),
      rank: z.enum(['lexical', 'semantic']),
      rooms: z.array(z.object({ name: z.string() })).check(z.maxLength(2)),
      own: z.string().check(z.regex(/^a/, 'begins with a')),
    });
    const said = (value: unknown) => {
      const read = schema.safeParse(value);
      return read.success ? '' : issuesText(read.error);
    };
    const right = { limit: 1, name: 'abc', rank: 'lexical', rooms: [], own: 'a' };
    expect(said(right)).toBe('');
    expect(said({ ...right, limit: 'x', name: 'a' })).toBe(
      'limit must be a number; name must have at least 3 characters',
    );
    expect(said({ ...right, limit: 0 })).toBe('limit must be at least 1');
    expect(said({ ...right, limit: 1.5 })).toBe('limit must be a whole number');
    expect(said({ ...right, rank: 'x' })).toBe('rank must be "lexical" or "semantic"');
    expect(said({ ...right, rooms: [{}] })).toBe('rooms[0].name is missing');
    expect(said({ ...right, rooms: [1, 2, 3] })).toContain('rooms must have at most 2 items');
    expect(said({ ...right, own: 'b' })).toBe('own: begins with a');
    expect(said({ ...right, more: 1 })).toBe('the value has no "more"');
  });
});
