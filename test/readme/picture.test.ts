import { expect, it } from 'vitest';
import { atTerminal } from '../support/at-terminal.js';
import { addShop } from '../support/shop.js';
import { terminalPicture } from '../support/terminal-picture.js';
import { TestEnv } from '../support/test-env.js';

const COLUMNS = 88;
const QUESTION = 'how is money rounded';

/** The id of a project is random, and the files are created today. */
const settled = (text: string, home: string) =>
  text
    .replaceAll(home, '~')
    .replace(/drawer_[0-9a-f]{12}/g, 'drawer_…')
    .replace(/\d{4}-\d{2}-\d{2}/g, '2026-03-02');

it('docs/search.svg shows the output of a search (vitest --update draws it again)', async () => {
  const env = new TestEnv();
  addShop(env);
  await env.json('mempalace-docs', [`${env.home}/shop`]);
  await env.json('mempalace-session', []);
  const { exitCode, printed } = await atTerminal(env, ['search', QUESTION, '--limit', '2'], COLUMNS);
  expect(exitCode).toBe(0);
  const text = `\u001b[1m$ mempalace search "${QUESTION}" --limit 2\u001b[22m\n\n${settled(printed, env.home)}`;
  await expect(terminalPicture(text, COLUMNS)).toMatchFileSnapshot('../../docs/search.svg');
});
