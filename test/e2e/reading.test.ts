import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { atTerminal } from '../support/at-terminal.js';
import { builtOnce } from '../support/built-once.js';
import { schemas } from '../support/json-schemas.js';
import { exchange, OpencodeDatabase, START_MS } from '../support/opencode-database.js';
import { TestEnv } from '../support/test-env.js';

const SECTIONS = Array.from(
  { length: 12 },
  (_, i) => `## Section ${i}\n\n${`Sentence ${i} of the handbook says what is done. `.repeat(12).trim()}\n`,
);
const HANDBOOK = `# Handbook\n\n${SECTIONS.join('\n')}`;
const OPENCODE = fileURLToPath(new URL('../fixtures/opencode/opencode-1.18.33.db', import.meta.url));
const SESSION = 'ses_0000000001test';

const filled = async (): Promise<TestEnv> => (await given()).env;

const given = builtOnce(async (env) => {
  env.project('.local/share/opencode', {});
  const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
  history.addSession({
    id: SESSION,
    title: 'Login broken',
    created: START_MS,
    messages: [
      ...exchange('Why does nobody get past the sign-in page?', 'The cookie is SameSite=Strict.'),
      ...exchange('Set it to Lax then.', 'Done: the cookie is SameSite=Lax now.'),
    ],
  });
  history.close();
  await env.json('mempalace-docs', [
    env.project('shop', { 'docs/handbook.md': HANDBOOK, 'a.md': '# A\n', 'a.md:1.md': '# B\n' }),
  ]);
  await env.json('mempalace-session', []);
});

interface Passage {
  passage: { drawers: string[]; text: string };
}

interface Found {
  drawer_id: string;
}

async function firstHit(env: TestEnv, ...args: string[]): Promise<string> {
  const { hits } = await env.json('mempalace', ['search', '--limit', '1', ...args]);
  const [hit] = hits as Found[];
  return hit?.drawer_id ?? '';
}

it('the number of a hit stands for its id, in the terminal that searched', async () => {
  const env = await filled();
  const none = await env.run('mempalace', ['show', '1']);
  expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('has not searched yet') });
  const ids = async (...args: string[]) => {
    const { hits } = await env.json('mempalace', ['search', ...args]);
    return (hits as Found[]).map(({ drawer_id }) => drawer_id);
  };
  const [, second = ''] = await ids('cookie');
  const { printed } = await atTerminal(env, ['search', 'cookie', '--limit', '1', '--offset', '1'], 80);
  expect(printed).toContain('read on: mempalace show 2, mempalace timeline 2');
  expect(await env.json('mempalace', ['show', '2'])).toMatchObject({ drawer: { drawer_id: second } });
  expect(await env.json('mempalace', ['timeline', '2'])).toMatchObject({ drawer_id: second });
  expect(await env.json('mempalace', ['set', '2', '--priority', 'low'])).toMatchObject({ drawer_id: second });
  expect((await env.run('mempalace', ['related', '2'])).exitCode).toBe(0);
  const added = await env.json('mempalace', ['collection', 'add', 'cookies', '2']);
  expect(added).toMatchObject({ collection: { added: 1 } });
  expect(await env.run('mempalace', ['show', '1'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('printed 1 hit, from number 2'),
  });
  // Nothing is erased by a number, and a search that nobody sees numbers nothing.
  expect((await env.run('mempalace', ['forget', '--drawer', '2', '--yes'])).exitCode).not.toBe(0);
  await env.run('mempalace', ['search', 'handbook']);
  expect(await env.json('mempalace', ['show', '2'])).toMatchObject({ drawer: { drawer_id: second } });
  const folder = join(env.home, '.local/state/mempalace/found');
  const [file = ''] = readdirSync(folder);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, file), 'utf8')).toMatch(/^\{"first":2,"ids":\["drawer_\w+"\]\}$/);
  const other = await env.run('mempalace', ['show', '2', '--palace', join(env.home, 'other')]);
  expect(other.exitCode).toBe(1);
});

it('a line of a document names its passages', async () => {
  const env = await filled();
  const show = async (...names: string[]) =>
    (await env.json('mempalace', ['show', ...names])) as unknown as Passage;
  const { passage } = await show('docs/handbook.md:5');
  expect(passage.drawers).toHaveLength(1);
  expect(passage.text).toContain(HANDBOOK.split('\n')[4]);
  const several = await show('handbook.md:5:40');
  expect(several.passage.drawers.length).toBeGreaterThan(1);
  for (const row of HANDBOOK.split('\n').slice(4, 44)) expect(several.passage.text).toContain(row);
  // A file may be named so itself.
  expect(await show('a.md:1.md')).toMatchObject({ kind: 'source', source: { title: 'B' } });
  expect((await show('a.md:1.md:1')).passage.text).toContain('# B');
  expect((await show('a.md:1')).passage.text).toContain('# A');
  const beyond = await env.run('mempalace', ['show', 'docs/handbook.md:5000']);
  expect(beyond).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('has no text on line 5000') });
  expect((await env.run('mempalace', ['show', 'no.md:3'])).stderr).toContain('has no source "no.md:3"');
});

describe('search, timeline, show', () => {
  it('lead from a question to the whole text', async () => {
    const env = await filled();
    const found = await env.run('mempalace', ['search', 'same site cookie', '--limit', '1']);
    expect(found.stdout).toMatch(/^results \(quoted .*\n\n1\. │ Login broken.*\n {3}│ /);
    expect(found.stdout).toMatch(/mempalace timeline <drawer id>$/);
    expect(found.stdout).not.toContain('\u001b');
    const index = await env.run('mempalace', ['search', 'sign-in page', '--limit', '1', '--format', 'index']);
    const [id = '', date, place, title] = index.stdout.split('\t');
    expect([date, place, title]).toEqual(['2026-03-02', '│ wing_conversations/shop', 'Login broken']);
    const around = await env.run('mempalace', ['timeline', id.slice(0, 19)]);
    expect(around.stdout).toContain(`▶ ${id}  2026-03-02`);
    expect(around.stdout).toContain('nothing else on 2026-03-02');
    const passage = await env.run('mempalace', ['show', id]);
    expect(passage.stdout).toContain('│ The cookie is SameSite=Strict.');
    expect(passage.stdout).toContain(`mempalace show ${SESSION}`);
    const session = await env.run('mempalace', ['show', SESSION]);
    expect(session.stdout).toContain(
      '\n\nuser  2026-03-02\n│ Set it to Lax then.\n\nassistant  2026-03-02\n│ Done:',
    );
  });

  it('show the stored text, and neighbours on request', async () => {
    const env = await filled();
    const raw = (what: string) =>
      execa(process.execPath, [...env.argv('mempalace'), 'show', what, '--raw'], {
        env: env.env,
        extendEnv: false,
        stripFinalNewline: false,
      });
    for (const name of ['docs/handbook.md', join(env.home, 'shop/docs/handbook.md')])
      expect((await raw(name)).stdout).toBe(HANDBOOK);
    const id = await firstHit(env, 'Section 6 sentence 6', '--source', 'docs/*');
    const { drawer, passage } = (await env.json('mempalace', ['show', id, '--radius', '1'])) as {
      drawer: { text: string };
      passage: { text: string; drawers: string[] };
    };
    expect((await raw(id)).stdout).toBe(drawer.text);
    expect(HANDBOOK).toContain(passage.text);
    expect(passage.drawers).toHaveLength(3);
    const { drawers, previous } = (await env.json('mempalace', ['timeline', id, '--radius', '0'])) as {
      drawers: Found[];
      previous: string;
    };
    expect(drawers.map((other) => other.drawer_id)).toEqual([id]);
    expect(passage.drawers[0]).toBe(previous);
  });

  it('show several names, and name those that mean nothing', async () => {
    const env = await filled();
    const { hits } = (await env.json('mempalace', ['search', 'cookie'])) as { hits: Found[] };
    const id = hits[0]?.drawer_id ?? '';
    const names = [id, 'nope.md', SESSION];
    const asked = await env.run('mempalace', ['show', ...names, '--json']);
    const { shown, not_shown: missing } = schemas.showSeveral.parse(JSON.parse(asked.stdout));
    expect(shown).toEqual([
      await env.json('mempalace', ['show', id]),
      await env.json('mempalace', ['show', SESSION]),
    ]);
    expect(missing).toEqual([{ name: 'nope.md', reason: 'the palace has no source "nope.md"' }]);
    const printed = await env.run('mempalace', ['show', ...names]);
    const alone = await Promise.all([id, SESSION].map((name) => env.run('mempalace', ['show', name])));
    expect(printed.stdout.replaceAll('\n', '')).toBe(
      alone.map(({ stdout }) => stdout.replaceAll('\n', '')).join(''),
    );
    for (const { exitCode, stderr } of [asked, printed])
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining('has no source "nope.md"')]);
    const raw = await env.run('mempalace', ['show', id, SESSION, '--raw']);
    expect(raw.exitCode).toBe(0);
  });

  it('have colours only on request', async () => {
    const env = await filled();
    const search = ['search', 'cookie', '--limit', '1'];
    const painted = await env.spawn('mempalace', search, { FORCE_COLOR: '1' });
    expect(painted.stdout).toContain('\u001b[1m\u001b[4mcookie\u001b[24m\u001b[22m');
    for (const [args, vars] of [
      [search, { FORCE_COLOR: '1', NO_COLOR: '1' }],
      [[...search, '--no-color'], { FORCE_COLOR: '1' }],
      [[...search, '--json'], { FORCE_COLOR: '1' }],
    ] as const) {
      expect((await env.spawn('mempalace', args, vars)).stdout).not.toContain('\u001b');
    }
  });
});

describe('file', () => {
  it('finds sessions of opencode that read and edited it, also under the name that a call gave it later', async () => {
    const env = new TestEnv();
    env.project('.local/share/opencode', { 'opencode.db': readFileSync(OPENCODE) });
    const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'), {
      existing: true,
    });
    const input = { command: 'git mv cart.js basket.js', workdir: '/home/dev/proj/web-shop/src' };
    const renames = { type: 'tool', tool: 'bash', state: { status: 'completed', input, output: '' } };
    history.addSession({
      id: 'ses_renames',
      created: Date.UTC(2027, 0, 1),
      messages: [...exchange('Call it a basket.', 'Yes.'), { role: 'assistant', parts: [renames] }],
    });
    history.close();
    await env.json('mempalace-session', []);
    const usesOf = async (path: string): Promise<string[]> => {
      const { sources } = schemas.file.parse(await env.json('mempalace', ['file', path]));
      return sources.flatMap(({ session_id, uses }) =>
        uses.map(({ action, path }) => `${session_id} ${action} ${path}`),
      );
    };
    const session = 'ses_e0008d7e7ffeCkf2keY0fSFq4k';
    const done = [`${session} edited src/cart.js`, `${session} read src/cart.js`];
    expect(await usesOf('web-shop/src/cart.js')).toEqual(done);
    expect(await usesOf('web-shop/src/basket.js')).toEqual([
      'ses_renames renamed /home/dev/proj/web-shop/src/basket.js',
      ...done,
    ]);
  });
});

describe('a reader that closes the pipe early', () => {
  it.each([
    ['mempalace', '--help'],
    ['mempalace', 'help', 'search'],
    ['mempalace-docs', '--help'],
    ['mempalace', 'status'],
  ])('is not an error: %s %s', async (program, ...args) => {
    const env = await (args[0] === 'status' ? filled() : new TestEnv());
    const child = execa(process.execPath, [...env.argv(program), ...args], {
      env: env.env,
      extendEnv: false,
      reject: false,
      buffer: { stdout: false, stderr: true },
    });
    child.stdout.destroy();
    const { stderr, exitCode } = await child;
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
  });
});
