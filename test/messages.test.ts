import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { messagesOf } from './support/messages.js';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

test('every sentence that the programs can say is on one page', async () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort();
  const page = files.flatMap((name) => {
    const messages = messagesOf(readFileSync(join(SRC, name), 'utf8'));
    return messages.length === 0 ? [] : [`## ${name}`, ...messages, ''];
  });
  // Updated with `npm run golden`; read it as a reader of English would.
  await expect(page.join('\n')).toMatchFileSnapshot('messages.golden.txt');
});
