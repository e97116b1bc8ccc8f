import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { it } from '../support/it-env.js';
import { longText } from '../support/long-text.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';

it('a dry run of documents predicts what is filed; of a changed document, only the new part', async ({
  env,
}) => {
  const shop = env.project('shop', {
    'long.md': `# Long\n\n${longText(20_000)}`,
    'short.md': '# Short\n\nPort 8443.\n',
  });
  const dry = await env.json('mempalace-docs', [shop, '--dry-run']);
  expect(dry.largest).toMatchObject([{ name: 'long.md' }, { name: 'short.md' }]);
  const { drawers_added } = await env.json('mempalace-docs', [shop]);
  expect(dry.drawers_estimated).toBe(drawers_added);
  appendFileSync(join(shop, 'long.md'), '\n## Another part\n\nIts port is 9443.\n');
  const changed = await env.json('mempalace-docs', [shop, '--dry-run']);
  const second = await env.json('mempalace-docs', [shop]);
  expect(second.drawers_added).toBeLessThan(3);
  expect(changed).toMatchObject({
    changed: 1,
    drawers_estimated: second.drawers_added,
    largest: [{ name: 'long.md' }],
  });
});

it('a dry run of sessions predicts what is filed; long tool output makes no drawers', async ({ env }) => {
  mkdirSync(join(env.home, '.local/share/opencode'), { recursive: true });
  const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
  const output = { type: 'tool', tool: 'bash', callID: 'c1' };
  const state = { status: 'completed', input: { command: 'log' }, output: longText(200_000), title: 'log' };
  history.addSession({
    title: 'Long log',
    messages: [
      { role: 'user', parts: ['What does it print?'] },
      { role: 'assistant', parts: [{ ...output, state }] },
      ...exchange('And then?', longText(9_000)),
    ],
  });
  history.close();
  const dry = await env.json('mempalace-session', ['--dry-run']);
  expect(dry.largest).toMatchObject([{ name: 'Long log' }]);
  const { drawers_added } = await env.json('mempalace-session', []);
  expect(Number(drawers_added)).toBeLessThan(40);
  expect(dry.drawers_estimated).toBe(drawers_added);
});
