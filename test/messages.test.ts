import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { messagesOf } from './support/messages.js';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

test('every message of the programs is on one page', async () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    // Schemas of documents contain names, which users do not read as sentences.
    .filter((name) => name.endsWith('.ts') && !name.startsWith('rest/documents'))
    .sort();
  const page = files.flatMap((name) => {
    const messages = messagesOf(readFileSync(join(SRC, name), 'utf8'));
    return messages.length === 0 ? [] : [`## ${name}`, ...messages, ''];
  });
  // Updated with `npm run golden`; review its English when it changes.
  await expect(page.join('\n')).toMatchFileSnapshot('messages.golden.txt');
});
