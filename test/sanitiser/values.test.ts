import { describe, expect, it } from 'vitest';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { JWT, PASSWORD, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });

describe('cleanValue', () => {
  it('cleans leaves with the context of their keys, and preserves the structure', async () => {
    const input = {
      command: `curl -H 'Authorization: Bearer ${JWT}'`,
      password: PASSWORD,
      env: [{ name: 'DB_PASSWORD', value: PASSWORD }],
      tokens: 128,
      token: 'identifier',
      accessToken: [random(32)],
      nested: { list: [null, true, 1.5, 'plain', [], {}] },
    };
    const copy = structuredClone(input);
    expect(await sanitiser.cleanValue(input)).toEqual({
      value: {
        command: "curl -H 'Authorization: Bearer [REDACTED:jwt]'",
        password: '[REDACTED:password]',
        env: [{ name: 'DB_PASSWORD', value: '[REDACTED:password]' }],
        tokens: 128,
        token: 'identifier',
        accessToken: ['[REDACTED:token]'],
        nested: { list: [null, true, 1.5, 'plain', [], {}] },
      },
      redacted: { jwt: 1, password: 2, token: 1 },
    });
    expect(input).toEqual(copy);
  });

  it('is idempotent and preserves the order of keys', async () => {
    const { value } = await sanitiser.cleanValue({
      b: 1,
      password: PASSWORD,
      a: `<private>x</private>${JWT}`,
    });
    expect(Object.keys(value as object)).toEqual(['b', 'password', 'a']);
    expect(await sanitiser.cleanValue(value)).toEqual({ value, redacted: {} });
  });

  it('cleans property names without losing properties', async () => {
    const other = `${JWT}x`;
    const { value, redacted } = await sanitiser.cleanValue({ [JWT]: 1, [other]: 2 });
    expect(Object.values(value as object)).toEqual([1, 2]);
    expect(JSON.stringify(value)).not.toContain(JWT);
    expect(redacted).toEqual({ jwt: 2 });
  });

  it('treats `__proto__` as an ordinary name', async () => {
    const { value } = await sanitiser.cleanValue(JSON.parse('{"__proto__": {"x": "y"}}'));
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":"y"}}');
  });

  it.each([[null], [undefined], [7], ['plain'], [[]]])('%j is unchanged', async (value) => {
    expect(await sanitiser.cleanValue(value)).toEqual({ value, redacted: {} });
  });

  it('handles nesting deeper than the stack', async () => {
    let value: unknown = PASSWORD;
    for (let depth = 0; depth < 50_000; depth++) value = depth === 0 ? { password: value } : [value];
    const { redacted } = await sanitiser.cleanValue(value);
    expect(redacted).toEqual({ password: 1 });
  });
});
