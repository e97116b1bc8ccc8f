import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linesOf } from '../../../src/maintenance/transfer/lines.js';
import { temporaryFolder } from '../../support/palace.js';

it('splits at line feeds alone, also where chunks of the file meet', async () => {
  const file = join(temporaryFolder(), 'lines');
  const lines = ['first', 'a\u2028b\u2029c\rd', '', 'é'.repeat(200_000), 'ends without one'];
  writeFileSync(file, lines.join('\n'));
  const read = [];
  for await (const line of linesOf(file)) read.push(line);
  expect(read).toEqual(
    lines.map((text, index) => ({ number: index + 1, text })).filter(({ text }) => text !== ''),
  );
});
