import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { builtOnce } from '../support/built-once.js';
import { documents } from '../support/document-schemas.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { problemsOf } from '../support/soundness.js';
import type { TestEnv } from '../support/test-env.js';

/** What the tool prints in everyday use. `npm run golden` writes the files beside this one; read them as a user would. */
const SHOP = {
  'README.md': '# Shop\n\nSells tea. `npm start` starts it on port 8443.\n',
  'docs/money.md':
    '# Money\n\nPrices are rounded once, on the total, never per line item: the auditor wants it so.\n',
  'docs/proxy.md': '# Proxy\n\nThe proxy listens on port 8443, since 443 needs root.\n',
  '.env': 'SECRET=1\n',
};
const WRITTEN = new Date('2026-02-01T10:00:00Z');

const filled = builtOnce(async (env: TestEnv) => {
  const shop = env.project('shop', SHOP);
  for (const name of Object.keys(SHOP)) utimesSync(join(shop, name), WRITTEN, WRITTEN);
  env.project('broken', { 'README.md': '# Broken\n', 'mempalace.yaml': 'wing: [1\n' });
  const folder = join(env.home, '.local/share/opencode');
  mkdirSync(folder, { recursive: true });
  const history = new OpencodeDatabase(join(folder, 'opencode.db'));
  history.addSession({
    title: 'Login fails behind the proxy',
    messages: [
      ...exchange('Why does sign-in fail behind the proxy?', 'The cookie is SameSite=Strict; set it to Lax.'),
      ...exchange(
        'Do it, and add a test.',
        'Done: the cookie is Lax, and a test signs in through the proxy.',
      ),
    ],
  });
  history.close();
});

/** The commands of a file, one after the other on one machine; a new line `$ command` is enough, `npm run golden` adds its output. */
const commandsIn = (name: string): string[] =>
  [...readFileSync(new URL(name, import.meta.url), 'utf8').matchAll(/^\$ (.+)$/gm)].map(
    ([, command = '']) => command,
  );

const FILES = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.txt'));

it.each(FILES)('%s', async (name) => {
  const { env } = await filled();
  const shown: string[] = [];
  for (const command of commandsIn(name)) {
    const [program = '', ...words] = wordsOf(command);
    const args: string[] = [];
    for (const word of words) args.push((await IDS[word]?.(env)) ?? word.replace(/^~/, env.home));
    const { stdout, stderr, exitCode } = await env.run(program, args);
    shown.push(`$ ${command}`);
    if (stdout !== '') shown.push(settled(stdout, env.home));
    if (stderr !== '') shown.push(settled(stderr, env.home).replace(/^/gm, '2> '));
    if (exitCode !== 0) shown.push(`(exit ${exitCode})`);
    shown.push('');
  }
  expect(shown).not.toEqual([]);
  await expect(shown.join('\n')).toMatchFileSnapshot(name);
  if (existsSync(env.palace)) expect(problemsOf(env.palace)).toEqual([]);
});

it('each file is here', () => {
  expect(FILES).toHaveLength(12);
});

/** Words of a command in place of which the machine has an id. */
const IDS: Readonly<Record<string, (env: TestEnv) => Promise<string>>> = {
  DRAWER: drawerOf,
  FACT: (env) => factOf(env, 0),
  OTHER_FACT: (env) => factOf(env, 1),
};

/** One of two facts that contradict each other. */
async function factOf(env: TestEnv, at: number): Promise<string> {
  const { conflicts } = documents.conflicts.parse(await env.json('mempalace', ['conflicts']));
  return conflicts[0]?.facts[at]?.triple_id ?? '';
}

/** The id of a drawer, as a search gives it. */
async function drawerOf(env: TestEnv): Promise<string> {
  const { hits } = await env.json('mempalace', ['search', 'the proxy needs root', '--limit', '1']);
  return (hits as { drawer_id: string }[])[0]?.drawer_id ?? '';
}

function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(
    ([word, double, single]) => double ?? single ?? word,
  );
}

/** What doctor says of the machine rather than of the palace. */
const MACHINE =
  /^(?:ok|warn|fail) +(?:mempalace-toolkit|node|platform|disk of the palace|PATH|schedule) .*\n(?: +→ .*\n)*/gm;

/** Without what differs from run to run: the home folder, ids, moments, durations, sizes, scores, versions. */
function settled(text: string, home: string): string {
  return text
    .replaceAll(home, '/home/ada')
    .replace(MACHINE, '')
    .replace(/^(?:no problems|\d+ failed, \d+ warnings?), \d+ ok$/m, '… failed, … warnings, … ok')
    .replace(/^\d+\.\d+\.\d+(?: \([0-9a-f]+(?:-dirty)?\))?$/gm, 'VERSION')
    .replace(/(SQLite|v)(?: |)\d+\.\d+\.\d+/g, '$1 VERSION')
    .replace(/(drawer_|fact_|ses_|doc:)[0-9a-zA-Z]{12,}/g, '$1…')
    .replace(/(?!2026-0[12]-01)\d{4}-\d\d-\d\d/g, 'DATE')
    .replace(/T\d{6}Z-[0-9a-f]+|\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?/g, 'TIME')
    .replace(/\d+(?:\.\d+)?( ?m?s)\b/g, '…$1')
    .replace(/\d+(?:\.\d+)? ([kKMGT]B)\b/g, '… $1')
    .replace(/\t\d\.\d\d\t/g, '\t…\t')
    .replace(/(cosine | {2})\d\.\d+(?=\)?$)/gm, '$1…');
}
