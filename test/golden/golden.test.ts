import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { builtOnce } from '../support/built-once.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
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

const FILED = ['mempalace-docs ~/shop --quiet', 'mempalace-session --quiet'];
const FACT = 'mempalace kg add shop default_branch main --from 2026-01-01';

it.each<[name: string, commands: string[]]>([
  ['documents', ['mempalace-docs ~/shop --dry-run', 'mempalace-docs ~/shop', 'mempalace-docs ~/shop']],
  ['sessions', ['mempalace-session --dry-run', 'mempalace-session', 'mempalace-session']],
  [
    'search',
    [
      ...FILED,
      'mempalace search "how are prices rounded" --limit 1',
      'mempalace search "port 8443" --limit 2 --format index',
      'mempalace search "sign-in" --wing wing_conversations',
      'mempalace search "prices" --wing wing_shp',
      `mempalace search '"no such words"'`,
      `mempalace search '"rounded prices"' --limit 1 --format index`,
    ],
  ],
  [
    'reading',
    [
      ...FILED,
      'mempalace status',
      'mempalace list wings',
      'mempalace list sources',
      'mempalace show docs/proxy.md',
      'mempalace timeline DRAWER',
      'mempalace wake-up',
    ],
  ],
  [
    'facts-and-diary',
    [
      FACT,
      'mempalace kg supersede shop default_branch main trunk',
      'mempalace kg query shop',
      'mempalace kg stats',
      'mempalace diary write --agent opencode "The cookie is Lax now. Left: the tests."',
      'mempalace diary read',
    ],
  ],
  [
    'forgetting',
    [
      ...FILED,
      'mempalace forget --source docs/money.md --dry-run',
      'mempalace forget --source docs/money.md',
      'mempalace forget --source docs/money.md --yes',
      'mempalace forget --list',
      'mempalace-docs ~/shop',
      'mempalace forget --source docs/nothing.md --yes',
    ],
  ],
  ['doctor', [...FILED, 'mempalace doctor', 'mempalace repair-status', 'mempalace verify']],
  [
    'errors',
    [
      'mempalace search anything',
      'mempalace serach',
      'mempalace search --limit none x',
      'mempalace search --nothing',
      'mempalace-docs',
      'mempalace-docs ~/nowhere',
      'mempalace-docs ~/broken',
      'mempalace-session --db ~/shop',
      'mempalace model use gpt-17',
      'mempalace show nothing --json',
    ],
  ],
  ['help', ['mempalace --help', 'mempalace-docs --version']],
])('%s', async (name, commands) => {
  const { env } = await filled();
  const shown: string[] = [];
  for (const command of commands) {
    const [program = '', ...args] = wordsOf(command);
    const { stdout, stderr, exitCode } = await env.run(
      program,
      await Promise.all(
        args.map((word) => (word === 'DRAWER' ? drawerOf(env) : word.replace(/^~/, env.home))),
      ),
    );
    shown.push(`$ ${command}`);
    if (stdout !== '') shown.push(stdout);
    if (stderr !== '') shown.push(stderr.replace(/^/gm, '2> '));
    if (exitCode !== 0) shown.push(`(exit ${exitCode})`);
    shown.push('');
  }
  await expect(settled(shown.join('\n'), env.home)).toMatchFileSnapshot(`${name}.txt`);
});

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
    .replace(/(cosine | {2})\d\.\d+(?=\)?$)/gm, '$1…');
}
