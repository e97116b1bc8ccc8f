import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { withBroker } from '../support/broker.js';
import { tellingPriority } from '../support/impatient.js';
import { exchange } from '../support/opencode-database.js';
import { filledMachine } from '../support/real-palace.js';

const machine = filledMachine();

interface Status {
  watching: { paths: string[]; last: { command: string; exit_code: number } | null };
}

it('broker.watch files changed documents and new sessions, with the lowest priority; status shows it', async () => {
  const { env: given, shop, history } = await machine();
  const env = withBroker(given);
  env.env.MEMPALACE_BROKER_WATCH = '1s';
  await env.json('mempalace', ['projects', 'add', shop, '--yes']);
  const priority = join(env.home, 'priority');
  Object.assign(env.env, tellingPriority('mempalace-docs', priority));
  await env.run('mempalace', ['broker', 'ensure']);
  const status = async () => (await env.json('mempalace', ['broker', 'status'])) as unknown as Status;
  const watched = (await status()).watching;
  expect(watched).toMatchObject({ paths: expect.arrayContaining([shop]), last: null });
  expect(watched.paths.filter((path) => path.endsWith('opencode.db'))).toHaveLength(1);

  const foundText = async (query: string, text: string): Promise<boolean> => {
    const { stdout } = await env.run('mempalace', ['search', query]);
    return stdout.includes(text);
  };
  const change = async (make: (round: number) => void, query: string, text: string): Promise<void> => {
    // The broker begins to watch after it listens: an early change may come before.
    for (let round = 0; round < 30; round += 1) {
      make(round);
      for (let tries = 0; tries < 6; tries += 1) {
        if (await foundText(query, text)) return;
        await sleep(500);
      }
    }
  };
  await change(
    (round) =>
      writeFileSync(join(shop, 'lanterns.md'), `# Lanterns\n\nThey are made of copper. (${round})\n`),
    'what are lanterns made of',
    'made of copper',
  );
  expect(await foundText('what are lanterns made of', 'made of copper')).toBe(true);
  // Words are found before the feeder ends.
  for (let tries = 0; (await status()).watching.last === null && tries < 60; tries += 1) await sleep(500);
  expect((await status()).watching.last).toMatchObject({ command: `mempalace-docs ${shop}`, exit_code: 0 });
  // The lowest one.
  expect(readFileSync(priority, 'utf8')).toBe('19');
  const { stdout } = await env.run('mempalace', ['broker', 'status']);
  expect(stdout).toMatch(/^watches .*; last filed .* by mempalace-docs/m);

  await change(
    (round) =>
      history.addSession({
        id: `ses_000000000${round}heron`,
        title: 'Heron',
        created: Date.UTC(2026, 2, 5, 10, round),
        messages: [
          ...exchange('When does the heron leave the pond?', 'The heron leaves at dusk.'),
          ...exchange('Always?', 'In summer.'),
        ],
      }),
    'when does the heron leave',
    'leaves at dusk',
  );
  expect(await foundText('when does the heron leave', 'leaves at dusk')).toBe(true);
}, 180_000);
