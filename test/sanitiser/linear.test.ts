import { expect, it } from 'vitest';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { PEM, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });

/**
 * Texts on which a pattern that looks back, or looks at the same characters twice, does quadratic work: at these
 * lengths that is hours, so that the ordinary timeout tells it from slow.
 */
it.each([
  ['password=', 5e6],
  ['token="', 1e6],
  ["token='", 1e6],
  ['token\\\\\\\\\\', 1e6],
  ['api_key:string=', 1e6],
  ['--token ', 1e6],
  [`token${' '.repeat(60)}`, 1e6],
  ['eyJ', 2e6],
  ['eyJaaaaaaaaaaaa.', 1e6],
  ['sk-', 1e6],
  ['://a:', 1e6],
  ['://a:b@', 1e6],
  ['Bearer ', 1e6],
  ['authorization: bearer ', 1e6],
  ['<private>', 1e6],
  ['<private ', 1e6],
  ['<private></private>', 1e6],
  ['</private>', 1e6],
  [PEM[0] ?? '', 1e6],
  [`${PEM[0]}\n${random(64)}\n`, 1e6],
  ['xoxb-', 1e6],
  [' SG.a.'.padEnd(300, 'b'), 5e5],
  ['secret_access_key   ', 1e6],
  ['[REDACTED:jwt]', 1e6],
  ['password=[PRIVATE]aB3$dE6', 5e5],
  [`password=${random(9)} `, 5e5],
  [`gh${'p'}_${random(36)} `, 1e6],
  [' ', 5e6],
  ['a', 5e6],
  ['\n', 1e6],
])('%j over and over', async (piece, length) => {
  const text = piece.repeat(Math.ceil(length / piece.length));
  const { text: cleaned } = await sanitiser.clean(text);
  expect(cleaned.length).toBeGreaterThan(0);
});

it('30,000 small texts, each looked at by itself', async () => {
  for (let index = 0; index < 30_000; index++) {
    const text = `line ${index}: const token = await lexer.next(); // a:b`;
    expect((await sanitiser.clean(text)).text === text).toBe(true);
  }
});
