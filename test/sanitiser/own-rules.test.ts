import { describe, expect, it } from 'vitest';
import { createSanitiser, SANITISER_VERSION } from '../../src/sanitiser/index.js';

const ticket = { kind: 'ticket', pattern: 'ACME-\\d{4,8}' };
const person = { kind: 'person', pattern: 'M(?:s|r)\\. \\p{Lu}\\p{L}{1,30}' };

describe("the user's own rules", () => {
  it('replace their matches in texts and values, next to the built-in rules', async () => {
    const sanitiser = await createSanitiser({ redact: true, rules: [ticket, person] });
    expect(await sanitiser.clean('Ms. Ünal has ACME-1234 and ACME-12.')).toEqual({
      text: '[REDACTED:person] has [REDACTED:ticket] and ACME-12.',
      redacted: { person: 1, ticket: 1 },
    });
    expect(await sanitiser.cleanValue({ 'ACME-99999': ['see ACME-1234', 5] })).toEqual({
      value: { '[REDACTED:ticket]': ['see [REDACTED:ticket]', 5] },
      redacted: { ticket: 2 },
    });
    const password = `hunter${2 * 1234567}x`;
    const both = await sanitiser.clean(`ACME-1234 PASSWORD=${password}`);
    expect(both.text).not.toContain(password);
    expect(both.redacted).toMatchObject({ ticket: 1 });
  });

  it('do not change clean text, including markers', async () => {
    const sanitiser = await createSanitiser({
      redact: true,
      rules: [{ kind: 'word', pattern: 'REDACTED|word' }],
    });
    const once = await sanitiser.clean('a word');
    expect(once.text).toBe('a [REDACTED:word]');
    expect(await sanitiser.clean(once.text)).toEqual({ text: once.text, redacted: {} });
  });

  it('change the version: other rules, another version', async () => {
    const versions = [[], [ticket], [person], [ticket, person], [{ ...ticket, kind: 'other' }]].map(
      async (rules) => (await createSanitiser({ redact: true, rules })).version,
    );
    const numbers = await Promise.all(versions);
    expect(new Set(numbers).size).toBe(5);
    expect(numbers[0]).toBe(SANITISER_VERSION);
    expect(new Set(numbers.map(Math.floor))).toEqual(new Set([SANITISER_VERSION]));
    expect((await createSanitiser({ redact: true, rules: [ticket] })).version).toBe(numbers[1]);
    expect((await createSanitiser({ redact: false, rules: [ticket] })).version).toBe(0);
  });
});
