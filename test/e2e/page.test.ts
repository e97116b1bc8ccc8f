import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { Palace, palaceFile } from '../../src/store/index.js';
import { brokerFile, withBroker } from '../support/broker.js';
import {
  browserContext,
  closeBrowser,
  linkTo,
  NO_CHROMIUM,
  openPage,
  seriousTo,
} from '../support/chromium.js';
import { assistant, call, lines, result } from '../support/claude-code.js';
import { documents } from '../support/document-schemas.js';
import { connected } from '../support/mcp-client.js';
import { filledMachine } from '../support/real-palace.js';
import { doomedBy, remainsOf } from '../support/remains.js';
import { SCRIPTS } from '../support/scripts.js';
import { turn } from '../support/talks.js';
import { TestEnv } from '../support/test-env.js';

const NOTE = 'The port is documented next.';
const machine = filledMachine([
  ['kg', 'add', 'shop', 'default_branch', 'main', '--from', '2026-03-01'],
  ['diary', 'write', '--agent', 'ada', 'The cookie is Lax now.'],
  ['kg', 'add', 'shop', 'decision', 'Cookies are Lax.'],
  ['kg', 'add', 'garden', 'decision', 'Cookies are Lax.'],
  ['kg', 'add', 'shop', 'default_branch', 'trunk', '--from', '2026-04-01'],
  ['task', 'add', 'Check the mobile app.', '--for', 'codex'],
  ['collection', 'add', 'signing in', '--query', 'the sign-in cookie'],
  ['checkpoint', '--session', 'ses_0000000003ports', '--note', NOTE],
]);

async function filled(prepare?: (env: TestEnv) => void): Promise<TestEnv> {
  const { env } = await machine();
  prepare?.(env);
  return withBroker(env);
}

/** An answer to a request that a browser would not send. */
function rawly(url: URL, path: string, headers: Record<string, string>, method = 'GET', sent = '') {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const { hostname: host, port } = url;
      const request = httpRequest({ host, port, path, method, headers, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          body += piece;
        });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
      });
      request.on('error', reject);
      request.end(sent);
    },
  );
}

afterAll(closeBrowser);

describe('mempalace ui', () => {
  it('opens no port before, and says what is missing where there can be no page', async () => {
    const { env: full } = await machine();
    const off = await full.run('mempalace', ['ui']);
    expect([off.exitCode, off.stderr]).toEqual([2, expect.stringContaining('MEMPALACE_BROKER=auto')]);
    const elsewhere = await full.run('mempalace', ['ui'], { MEMPALACE_BROKER: 'ssh://host' });
    expect([elsewhere.exitCode, elsewhere.stderr]).toEqual([2, expect.stringContaining('on its machine')]);
    const again = withBroker(full);
    await again.run('mempalace', ['broker', 'ensure']);
    const { pid } = brokerFile(again);
    const listening = spawnSync('ss', ['-ltnp'], { encoding: 'utf8' });
    if (listening.error === undefined) expect(listening.stdout).not.toContain(`pid=${pid},`);
  });

  it('makes an empty palace where there is none, and says so once', async () => {
    const env = withBroker(new TestEnv());
    const ui = () => env.run('mempalace', ['ui', '--no-open']);
    const [first, second] = [await ui(), await ui()];
    expect([first.exitCode, second.exitCode]).toEqual([0, 0]);
    expect(first.stderr + first.stdout).toContain('an empty one was made');
    expect(second.stderr + second.stdout).not.toContain('an empty one was made');
    expect((await env.json('mempalace', ['status'])).sources).toBe(0);
  });

  it('leaves a link in a file of its user until it was used; no secret is printed twice or logged', async () => {
    const env = await filled();
    const link = new URL(await linkTo(env));
    const folder = dirname(brokerFile(env).socket);
    const files = () => readdirSync(folder).filter((name) => name.endsWith('.html'));
    const [file = ''] = files();
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, file), 'utf8')).toContain(link.href);
    const code = link.hash.slice('#code='.length);
    const used = await rawly(link, '/session', { authorization: `Code ${code}` }, 'POST');
    expect([used.status, files()]).toEqual([201, []]);
    const again = await rawly(link, '/session', { authorization: `Code ${code}` }, 'POST');
    expect(again.status).toBe(401);
    const log = readFileSync(join(env.palace, 'broker.log'), 'utf8');
    expect(log).not.toContain(code);
    expect(await linkTo(env)).toContain(link.origin);
  });

  it('ends with the broker', async () => {
    const env = await filled();
    const link = new URL(await linkTo(env));
    expect((await rawly(link, '/', {})).status).toBe(200);
    await env.run('mempalace', ['broker', 'stop']);
    await expect.poll(() => rawly(link, '/', {}).catch(() => 'closed')).toBe('closed');
  });

  it('is small', () => {
    const all = ['index.html', 'page.js', 'page.css', 'icon.svg'].map((name) =>
      readFileSync(join('dist/page', name)),
    );
    expect(gzipSync(Buffer.concat(all)).length).toBeLessThan(200_000);
  });
});

describe('the port of the page', () => {
  it('tells a stranger nothing but the files of the page', async () => {
    const env = await filled();
    const link = new URL(await linkTo(env));
    const { status, headers, body } = await rawly(link, '/', {});
    expect(status).toBe(200);
    expect(body).not.toContain(env.home);
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringContaining("script-src 'self';"),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    for (const path of '/api/v1/status /mcp /healthz /../package.json /page.js.map //page.js/x'.split(' '))
      expect([path, (await rawly(link, path, {})).status]).toEqual([path, 401]);
  });

  it('takes no write without its session, the key header, JSON, its own Host and Origin', async () => {
    const env = await filled();
    const link = new URL(await linkTo(env));
    const code = link.hash.slice('#code='.length);
    const admitted = await rawly(link, '/session', { authorization: `Code ${code}` }, 'POST');
    const [cookie = ''] = String(admitted.headers['set-cookie']).split(';');
    const guest = {
      cookie,
      'x-mempalace-key': String(JSON.parse(admitted.body).key),
      'content-type': 'application/json',
    };
    const pin = (headers: Record<string, string>) =>
      rawly(link, '/api/v1/set', headers, 'POST', '{"name":"handbook.md","pinned":true}');
    const without = (name: keyof typeof guest) => ({ ...guest, [name]: '' });
    expect((await pin(without('cookie'))).status).toBe(401);
    expect((await pin(without('x-mempalace-key'))).status).toBe(401);
    expect((await pin({ ...guest, origin: 'http://evil.example' })).status).toBe(403);
    expect((await pin({ ...guest, origin: 'null' })).status).toBe(403);
    expect((await pin({ ...guest, 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await pin({ ...guest, host: `evil.example:${link.port}` })).status).toBe(403);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', ''])
      expect((await pin({ ...guest, 'content-type': type })).status).toBe(415);
    const { important } = await env.json('mempalace', ['wake-up', '--everywhere']);
    expect(important).toEqual([]);
    expect((await pin({ ...guest, origin: link.origin })).status).toBe(200);
    expect((await env.json('mempalace', ['wake-up', '--everywhere'])).important).toMatchObject([
      { pinned: true },
    ]);
  });

  it('refuses a foreign Host (DNS rebinding) and a foreign Origin, and has no CORS', async () => {
    const env = await filled();
    const link = new URL(await linkTo(env));
    for (const headers of [{ host: 'evil.example' }, { host: `evil.example:${link.port}` }])
      for (const path of ['/', '/page.js', '/api/v1/status'])
        expect((await rawly(link, path, headers)).status).toBe(403);
    const foreign = await rawly(link, '/api/v1/status', { origin: 'http://evil.example' });
    expect(foreign.status).toBe(403);
    const preflight = await rawly(
      link,
      '/api/v1/status',
      { origin: link.origin, 'access-control-request-method': 'POST' },
      'OPTIONS',
    );
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe.skipIf(NO_CHROMIUM !== undefined)(`the page in Chromium (${NO_CHROMIUM ?? 'is there'})`, () => {
  const VIEWS = {
    home: ['view=home', 'No session in the last week'],
    search: ['view=search&q=proxy+port', 'Port 8443'],
    sources: ['view=sources', 'Handbook'],
    document: ['view=source&name=handbook.md&line=5', 'Money is rounded once'],
    session: ['view=source&name=ses_0000000003ports', 'Port 8443.'],
    standing: ['view=source&name=ses_0000000003ports', 'Its 1 checkpoint'],
    wakeUp: ['view=wake-up', 'of 900 tokens'],
    folder: ['view=wake-up&folder=/nowhere', 'in a folder of no filed project'],
    files: ['view=files&file=auth/session.ts', 'mentioned, line'],
    facts: ['view=facts', 'default_branch'],
    graph: ['view=facts&entity=shop', 'default_branch →'],
    patterns: ['view=patterns', 'decision · 2 times'],
    collections: ['view=collections', '“the sign-in cookie”'],
    collection: ['view=collections&name=signing+in', 'Login broken after the upgrade'],
    inCollection: ['view=collections&name=signing+in&q=cookie', 'SameSite=Strict'],
    checkpoints: ['view=checkpoints', 'The port is documented next.'],
    checkpoint: ['view=checkpoints&name=ses_0000000003ports', 'The port is documented next.'],
    tasks: ['view=tasks', 'Check the mobile app.'],
    diary: ['view=diary', 'The cookie is Lax now.'],
    suggestions: ['view=suggestions', 'There is nothing to suggest'],
    health: ['view=health', 'mempalace-docs'],
    forget: ['view=forget&source=handbook.md', 'What goes'],
  };

  it('shows every view, without an error, and nothing serious to axe, in both themes', async () => {
    const env = await filled();
    const { page, view, troubles } = await openPage(env);
    for (const [query = '', text = ''] of Object.values(VIEWS)) {
      await view(query);
      await page.getByText(text).first().waitFor({ timeout: 10_000 });
      // Themes differ in colours only.
      for (const [colorScheme, rules] of [['light'], ['dark', ['color-contrast']]] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect([query, colorScheme, await seriousTo(page, rules)]).toEqual([query, colorScheme, []]);
      }
    }
    expect(troubles).toEqual([]);
  });

  // With former names of views.
  it('says in every view of an empty palace what belongs there, and starts the first run', async () => {
    const env = withBroker(new TestEnv());
    const barn = env.project('barn', { 'owls.md': '# Owls\n\nThe owls wake at dusk.\n' });
    const { page, view, troubles } = await openPage(env);
    await page.getByText('The palace is empty.').waitFor();
    await page.getByText('mempalace setup').waitFor();
    for (const [query, text] of [
      ['view=search&q=owls', 'Nothing found for "owls".'],
      ['view=browse', 'There are no sources'],
      ['view=files&file=owls.md', 'Nothing read, changed or spoke of it'],
      ['view=told', 'tells it first'],
      ['view=facts', 'There are no facts yet'],
      ['view=facts&entity=owls', 'The palace has no facts about it'],
      ['view=patterns', 'Nothing recurs'],
      ['view=collections', 'There are no collections'],
      ['view=checkpoints', 'There are no checkpoints'],
      ['view=diary', 'There are no entries'],
      ['view=tasks', 'There is nothing to do'],
      ['view=proposals', 'There is nothing to suggest'],
      ['view=health', 'The palace has no runs yet'],
      ['view=forget', 'Forgetting is final'],
    ]) {
      await view(String(query));
      await page.getByText(String(text)).first().waitFor({ timeout: 10_000 });
      expect([query, await page.locator('.trouble').allTextContents()]).toEqual([query, []]);
    }
    await env.json('mempalace', ['projects', 'add', barn]);
    await view('view=home');
    await page.getByRole('button', { name: barn }).click();
    await page.getByRole('link', { name: 'wing_barn' }).waitFor({ timeout: 60_000 });
    expect(troubles).toEqual([]);
  }, 120_000);

  it('lets the browser with the link in, and no other', async () => {
    const env = await filled();
    const { page, origin } = await openPage(env);
    expect(page.url()).toBe(`${origin}/`);
    await page.reload();
    await page.getByText('What is stored').waitFor();
    const stranger = await (await browserContext()).newPage();
    await stranger.goto(origin);
    await stranger.getByText('This browser is not let in').first().waitFor();
    expect(await stranger.content()).not.toContain('wing_');
  });

  it('goes to anything by keys alone, tells its keys, names its tabs, and says that a view does not exist', async () => {
    const env = await filled();
    const { page, view, troubles } = await openPage(env);
    await page.locator('nav a[aria-current]').focus();
    const choose = async (words: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.locator('dialog.palette input:focus').waitFor();
      await page.keyboard.type(words);
    };
    await choose('handbook');
    await page.getByRole('option', { name: /^Handbook/ }).waitFor();
    expect(await seriousTo(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.locator('nav a[aria-current]:focus').waitFor();
    await choose('handbook');
    await page.getByRole('option', { name: /^Handbook/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/view=source/);
    await expect.poll(() => page.title()).toBe('Handbook – Memory palace');
    await choose('proxy port');
    await page.keyboard.press('ArrowUp');
    await page.getByRole('option', { name: 'Search for “proxy port”', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/view=search&q=proxy/);
    await page.goBack();
    await expect.poll(() => page.title()).toBe('Handbook – Memory palace');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('to the field for searching').waitFor();
    expect(await seriousTo(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await view('view=nonsense');
    await page.getByText('There is no such view').waitFor();
    await view('view=facts');
    // What is empty is below More; nothing is lost.
    const names = await page.locator('nav li').allTextContents();
    expect(names).toHaveLength(14);
    expect(troubles).toEqual([]);
  });

  it('searches as you type; the address is the search, and keys lead to a hit and its line', async () => {
    const env = await filled();
    const { page, view, troubles } = await openPage(env);
    await view('view=home');
    await page.keyboard.press('/');
    await page.locator('search input[type=search]:focus').waitFor();
    // Earlier answers are of a part of the question, and order the hits in another way.
    const answered = page.waitForResponse((response) => /\/search\?.*proxy\+use&/.test(response.url()));
    await page.keyboard.type('which port does the proxy use');
    await answered;
    await page.locator('[aria-busy=false] .hit mark').first().waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('which port does the proxy use');
    await page.locator('.hit').first().getByLabel('More on').click();
    await page.locator('.hit').first().getByText('Why it was found').click();
    await page.locator('.scores').getByText('meaning').waitFor();
    await page.locator('.hit').first().getByText('Around it').click();
    await page.locator('.around .marked').first().waitFor();
    await page.getByText('+ filter').click();
    await page.getByRole('button', { name: 'type' }).click();
    await page.locator('input:focus').fill('conversation');
    await page.keyboard.press('Enter');
    await page.waitForURL(/type=conversation/);
    await page.getByLabel('Search the palace').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/view=source/);
    await page.locator('.target').first().waitFor();
    await page.goBack();
    await page.locator('.hit').first().waitFor();
    expect(troubles).toEqual([]);
  });

  it('keeps what is typed while a search begins', async () => {
    const { page, view } = await openPage(await filled());
    await view('view=search');
    await page.evaluate(`(() => {
      const input = document.querySelector('search input');
      const type = (text) => {
        input.value = text;
        input.dispatchEvent(new Event('input', { bubbles: true }));
      };
      const { pushState } = history;
      history.pushState = (...args) => {
        history.pushState = pushState;
        pushState.apply(history, args);
        type('proxy');
      };
      type('pro');
    })()`);
    await page.locator('.hit mark').first().waitFor();
    expect(await page.getByLabel('Search the palace').inputValue()).toBe('proxy');
    expect(new URL(page.url()).searchParams.get('q')).toBe('proxy');
  });

  it('marks checkpoints in the transcript: where a compaction was made, and what is filed later below the last', async () => {
    const env = await filled();
    env.project('.claude/projects/-code-shop', {
      'talk-1.jsonl': [
        ...Array.from({ length: 40 }, (_, n) => turn(n % 2 === 0 ? 'user' : 'assistant', `Sentence ${n}.`)),
        turn('user', 'The state so far.', { isCompactSummary: true }),
        turn('user', 'And the tax?'),
        turn('assistant', 'On the total.'),
        lines([
          {
            ...JSON.parse(turn('assistant', 'call')),
            ...assistant(call('t1', 'Bash', { command: 'npm test' })),
          },
          { ...JSON.parse(turn('user', 'result')), ...result('t1', 'All is well.') },
        ]),
      ].join(''),
    });
    await env.json('mempalace-session', ['--from', 'claude-code']);
    await env.json('mempalace', ['checkpoint', '--session', 'talk-1', '--note', 'The tax is done.']);
    const { page, view, troubles } = await openPage(env);
    await view('view=source&name=talk-1');
    const around = page.locator('.conversation').locator('.checkpoint, .turn');
    const order = async () =>
      (await around.allTextContents()).map((text) => text.replace(/\d{4}-\d\d.*$/, ''));
    await page.locator('.checkpoint').nth(1).waitFor();
    expect((await order()).slice(-7)).toEqual([
      expect.stringContaining('checkpoint 1 (compaction): Sentence 38.'),
      expect.stringContaining('The state so far.'),
      expect.stringContaining('And the tax?'),
      expect.stringContaining('On the total.'),
      expect.stringContaining('Bash npm test'),
      expect.stringContaining('Tool result'),
      expect.stringContaining('checkpoint 2 (manual): The tax is done.'),
    ]);
    await page.locator('.conversation').getByRole('link', { name: 'compaction' }).click();
    await page.getByRole('link', { name: 'its place in the session' }).click();
    await page.locator('.target').waitFor();
    await expect.poll(() => page.locator('.checkpoint').first().isVisible()).toBe(true);
    expect(
      await page
        .locator('.turn')
        .filter({ has: page.locator('.target') })
        .textContent(),
    ).toContain('The state so far.');
    await page.getByText('Its 2 checkpoints').waitFor();
    // The newest is after the last line, which is folded otherwise.
    await page.locator('.links').getByRole('link', { name: /^line/ }).first().click();
    await page.locator('.line.target').filter({ hasText: 'All is well.' }).waitFor();
    expect(await seriousTo(page)).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it('keeps what is typed before the browser has painted the hits of the keys before', async () => {
    const { page, view } = await openPage(await filled());
    await view('view=search');
    await page.evaluate(`(async () => {
      const input = document.querySelector('search input');
      for (const letter of 'proxy') {
        input.value += letter;
        input.dispatchEvent(new Event('input', { bubbles: true }));
        for (let times = 0; times < 10; times += 1) await null;
        for (const until = performance.now() + 60; performance.now() < until; );
      }
    })()`);
    await page.locator('.hit mark').first().waitFor();
    expect(await page.getByLabel('Search the palace').inputValue()).toBe('proxy');
    expect(new URL(page.url()).searchParams.get('q')).toBe('proxy');
  });

  it('forgets exactly what its preview showed: it is gone from the disk, from kept backups too', async () => {
    const env = await filled();
    await env.json('mempalace', ['reembed', '--force']);
    const login = 'opencode:ses_0000000001login';
    const doomed = doomedBy(env.palace, login, ['SameSite', 'Login broken after the upgrade']);
    const remains = () => remainsOf(doomed, join(env.home, '.mempalace'), env.cache);
    expect(remains().length).toBeGreaterThan(5);
    const { page, view, troubles } = await openPage(env);
    await view('view=search&q=sign-in+page');
    const hit = page.locator('.hit').filter({ hasText: 'SameSite' }).first();
    await hit.getByLabel('More on').click();
    await hit.getByText('Forget…').click();
    await page.getByText('Forgetting is final.').waitFor();
    await page.getByText(/1 source, \d+ drawers?, 0 facts/).waitFor();
    await page.getByText('rewritten without it').waitFor();
    const erase = page.getByRole('button', { name: 'Erase 1 source for good' });
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel('I know that this cannot be undone').check();
    // What is filed meanwhile is not erased unseen.
    const found = await env.json('mempalace', ['search', 'SameSite', '--session', 'ses_0000000001login']);
    const { drawer_id } = documents.search.parse(found).hits[0] ?? {};
    await env.json('mempalace', ['collection', 'add', 'kept', String(drawer_id)]);
    await erase.click();
    await page.getByText('the palace has changed since the preview').waitFor();
    await page.getByText('taken out of the collections kept').waitFor();
    expect(remains().length).toBeGreaterThan(5);
    await page.getByLabel('I know that this cannot be undone').check();
    await erase.click();
    await page.getByText(/1 source with \d+ drawer/).waitFor({ timeout: 60_000 });
    expect(remains()).toEqual([]);
    expect(readFileSync(join(env.palace, 'write-log.jsonl'), 'utf8')).toContain('"tool":"POST /forget"');
    // The answer 409 is an error of the network to the browser.
    expect(troubles.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  }, 120_000);

  it('pins, ranks, and undoes it', async () => {
    const env = await filled();
    const { page, view } = await openPage(env);
    await view('view=search&q=proxy+port');
    const hit = page.locator('.hit').first();
    await hit.getByLabel('More on').click();
    await hit.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.locator('.toast').getByText('Ports: pinned').waitFor();
    const told = async () =>
      documents.wakeUp.parse(await env.json('mempalace', ['wake-up', '--everywhere'])).important;
    expect(await told()).toMatchObject([{ title: 'Ports', pinned: true }]);
    await view('view=wake-up');
    await page.getByRole('button', { name: 'Unpin' }).click();
    await page.locator('.toast').getByText('not pinned any more').waitFor();
    expect(await told()).toEqual([]);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.locator('.toast').getByText('Undone').waitFor();
    await page.getByRole('button', { name: 'Unpin' }).waitFor();
    expect(await told()).toMatchObject([{ pinned: true }]);
    await page.locator('.marks').getByLabel('priority').selectOption('low');
    await page.locator('.toast').getByText('priority low').waitFor();
    expect(await told()).toMatchObject([{ priority: 'low' }]);
    await view('view=source&name=handbook.md');
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByRole('button', { name: 'Unpin' }).waitFor();
    expect((await told()).map(({ title }) => title)).toContain('Handbook');
    await page.getByRole('button', { name: 'Unpin' }).click();
    await page.getByRole('button', { name: 'Pin', exact: true }).waitFor();
    expect((await told()).map(({ title }) => title)).not.toContain('Handbook');
  });

  it('resolves a conflict with a reason, which is filed', async () => {
    const env = await filled();
    const { page, view, troubles } = await openPage(env);
    await view('view=facts');
    const conflict = page.locator('.conflict').filter({ hasText: 'default_branch' });
    const keep = conflict.locator('.side').filter({ hasText: 'trunk' }).getByRole('button');
    expect(await keep.isDisabled()).toBe(true);
    await conflict.getByLabel('because').fill('The branch was renamed in spring.');
    await keep.click();
    await page.locator('.toast').getByText('shop default_branch trunk: kept').waitFor();
    await conflict.waitFor({ state: 'detached' });
    expect((await env.json('mempalace', ['conflicts'])).conflicts).toEqual([]);
    const found = await env.json('mempalace', ['search', 'branch was renamed in spring']);
    expect(documents.search.parse(found).hits[0]?.text).toContain('The branch was renamed in spring.');
    expect(troubles).toEqual([]);
  });

  it('shows the facts of a day, and keeps the day from one thing to the next', async () => {
    const env = await filled();
    const { page, view, troubles } = await openPage(env);
    await view('view=facts');
    const later = page.locator('main').getByText('trunk');
    await later.first().waitFor();
    await page.getByLabel('valid on').fill('2026-03-15');
    await page.getByText('3 facts valid then').waitFor();
    expect([await later.count(), await page.getByRole('link', { name: 'main' }).count()]).toEqual([0, 1]);
    const keepsTheDay = async (entity: string): Promise<void> => {
      await page.getByRole('region', { name: `Graph of the facts around ${entity}` }).waitFor();
      expect(new URL(page.url()).searchParams.get('at')).toBe('2026-03-15');
      expect(await later.count()).toBe(0);
    };
    await page.getByRole('link', { name: 'main' }).click();
    await keepsTheDay('main');
    await page.locator('.graph a').filter({ hasText: 'shop' }).click();
    await keepsTheDay('shop');
    await page.locator('table').getByRole('link', { name: 'main' }).click();
    await keepsTheDay('main');
    await view('view=facts&at=2026-03-15&entity=trunk');
    await page.getByText('No fact of it was valid then.').waitFor();
    expect(troubles).toEqual([]);
  });

  it('names on Home what the last runs could not file', async () => {
    const env = await filled();
    const files = { 'owls.md': '# Owls\n\nThe owls wake at dusk.\n' };
    const barn = env.project('barn', files);
    await env.json('mempalace-docs', [barn]);
    rmSync(join(barn, 'owls.md'));
    expect((await env.run('mempalace-docs', [barn])).exitCode).toBe(3);
    const { page, troubles } = await openPage(env);
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText(/mempalace-docs did not file .*barn/).waitFor();
    env.project('barn', files);
    await env.json('mempalace-docs', [barn]);
    await attention.getByText('did not file').waitFor({ state: 'detached', timeout: 20_000 });
    expect(troubles).toEqual([]);
  });

  it('leads from what needs attention to the view that helps, and to the doctor', async () => {
    const env = await filled((env) => {
      const palace = Palace.write(
        env.palace,
        Palace.look(env.palace, ({ model }) => model),
      );
      const run = { command: 'mempalace-docs', scope: '{}', narrowed: false, versions: {} };
      palace.runs.begin({ ...run, startedMs: Date.UTC(2026, 2, 5, 10) });
      palace.close();
    });
    const { page, view, troubles } = await openPage(env);
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByRole('link', { name: '1 conflict between facts' }).click();
    await page.getByRole('heading', { name: 'Conflicts' }).waitFor();
    await view('view=home');
    await attention.getByRole('link', { name: /mempalace-docs of 2026-03-05 .* did not end/ }).click();
    await page.getByRole('region', { name: 'Runs' }).getByText('did not end').waitFor();
    await page.getByRole('button', { name: 'Examine the installation and the palace' }).click();
    await page.locator('.findings .ok').first().waitFor({ timeout: 60_000 });
    await view('view=home');
    chmodSync(palaceFile(env.palace), 0o644);
    await attention.getByRole('link', { name: 'Ask the doctor' }).click();
    const warning = page.locator('.findings .warn').filter({ hasText: 'others may read' });
    await warning.getByText(/^→ .*chmod 600/).waitFor({ timeout: 60_000 });
    await page.getByText(/^0 failed, \d+ warnings?, \d+ ok$/).waitFor();
    expect(troubles).toEqual([]);
  }, 120_000);

  it('lists the runs of feeders, all runs on demand, and leads from one to forgetting what it filed', async () => {
    const env = await filled();
    const { hits } = documents.search.parse(
      await env.json('mempalace', ['search', 'cookie', '--session', 'ses_0000000001login']),
    );
    const from = ['--drawer', String(hits[0]?.drawer_id)];
    await env.json('mempalace', ['kg', 'add', 'proxy', 'port', '8443', ...from]);
    const { page, view, troubles } = await openPage(env);
    await view('view=health');
    const runs = page.locator('[aria-label=Runs] tbody tr');
    const filing = runs.filter({ hasText: 'mempalace-session' });
    await filing.last().waitFor();
    const checkpoints = page.getByRole('region', { name: 'Last compactions and checkpoints' });
    await checkpoints.getByRole('link', { name: 'The port is documented next.' }).waitFor();
    expect(await runs.filter({ hasText: 'mempalace kg' }).count()).toBe(0);
    await page.getByLabel('all runs').check();
    await runs.filter({ hasText: 'mempalace kg' }).first().waitFor();
    expect(await runs.filter({ hasText: 'mempalace kg' }).getByText('Forget…').count()).toBe(0);
    await filing.last().getByRole('link', { name: 'Forget…' }).click();
    await page.getByText('What goes').waitFor();
    await page.getByRole('link', { name: 'Login broken after the upgrade' }).waitFor();
    await page.getByText('The 1 fact taken from there').click();
    await page.getByText('proxy port 8443').waitFor();
    expect(troubles).toEqual([]);
  });

  it('moves nothing where its user wants no motion', async () => {
    const { page } = await openPage(await filled());
    const seconds = () =>
      page.evaluate(
        "Math.max(...[...document.querySelectorAll('*')].map((node) => parseFloat(getComputedStyle(node).transitionDuration)))",
      );
    expect(await seconds()).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await seconds()).toBe(0);
  });

  it('adds, takes, finishes and drops a task', async () => {
    const env = await filled();
    const { page, view, troubles } = await openPage(env);
    const tasks = async () =>
      documents.taskList.parse(await env.json('mempalace', ['task', 'list', '--all'])).tasks;
    await view('view=tasks');
    await page.getByLabel('What is to be done').fill('Sweep the barn.');
    await page.getByRole('button', { name: 'Add' }).click();
    const row = page.locator('.rows li').filter({ hasText: 'Sweep the barn.' });
    await row.getByRole('button', { name: 'Take' }).click();
    await row.getByText('taken by user').waitFor();
    await row.getByPlaceholder('what came of it').fill('It is clean.');
    await row.getByRole('button', { name: 'Done' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await tasks()).at(-1)).toMatchObject({ state: 'done', taken_by: 'user', result: 'It is clean.' });
    const other = page.locator('.rows li').filter({ hasText: 'Check the mobile app.' });
    await other.getByRole('button', { name: 'Drop' }).click();
    await other.waitFor({ state: 'detached' });
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await other.waitFor();
    expect((await tasks()).filter(({ state }) => state === 'open')).toMatchObject([{ agent: 'codex' }]);
    expect(troubles).toEqual([]);
  });

  it('adds a hit to a collection, excludes one, drops a collection, and undoes each', async () => {
    const env = await filled();
    const { page, view, troubles } = await openPage(env);
    const listed = async () =>
      documents.collectionList.parse(await env.json('mempalace', ['collection', 'list'])).collections;
    const undo = async (): Promise<void> => {
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
      await page.locator('.toast').getByText('Undone').waitFor();
    };
    await view('view=search&q=proxy+port');
    const hit = page.locator('.hit').first();
    await hit.getByLabel('More on').click();
    await hit.getByText('Collect', { exact: true }).click();
    const row = hit.locator('li').filter({ hasText: 'signing in' });
    await row.getByRole('button', { name: 'Exclude' }).waitFor();
    expect(await seriousTo(page)).toEqual([]);
    await row.getByRole('button', { name: 'Exclude' }).click();
    await page.locator('.toast').getByText('excluded from signing in').waitFor();
    await row.getByRole('button', { name: 'Add' }).click();
    await page.locator('.toast').getByText('added to signing in').waitFor();
    expect(await listed()).toMatchObject([{ added: 1, excluded: 0 }]);
    await undo();
    expect(await listed()).toMatchObject([{ added: 0, excluded: 1 }]);
    await hit.getByLabel('Name of a new collection').fill('ports');
    await hit.locator('form').getByRole('button', { name: 'Add' }).click();
    await page.locator('.toast').getByText('added to ports').waitFor();
    await view('view=collections&name=ports');
    await page.getByText('1 drawer', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Drop this collection' }).click();
    await page.locator('.toast').getByText('ports: dropped').waitFor();
    expect(await listed()).toMatchObject([{ name: 'signing in' }]);
    await undo();
    expect(await listed()).toMatchObject([{ name: 'ports', added: 1 }, { name: 'signing in' }]);
    await view('view=collections&name=signing+in');
    await page.getByRole('button', { name: 'Drop this collection' }).click();
    await page.getByText('What it excludes cannot be restored.').waitFor();
    await page.getByRole('button', { name: 'Drop it for good' }).click();
    await page.locator('.toast').getByText('signing in: dropped').waitFor();
    expect(await listed()).toMatchObject([{ name: 'ports' }]);
    expect(troubles).toEqual([]);
  });

  it('shows at once what a run files and who connects, and starts a run', async () => {
    const env = await filled();
    const { page, view, troubles } = await openPage(env);
    const sources = page.locator('.figures div').filter({ hasText: 'documents and sessions' }).locator('dd');
    const before = Number(await sources.textContent());
    expect(before).toBeGreaterThan(5);
    const pond = env.project('pond', { 'frogs.md': '# Frogs\n\nThe frogs sing at dusk.\n' });
    await env.json('mempalace-docs', [pond]);
    await expect.poll(() => sources.textContent(), { timeout: 20_000 }).toBe(String(before + 1));
    const { client } = await connected(env, ['--agent', 'ada']);
    await page.getByText('Connected: ada').waitFor();
    await page.getByText(/^Connected: /).waitFor();
    await client.close();
    await page.getByText('Connected: ada').waitFor({ state: 'detached' });
    const barn = env.project('barn', { 'owls.md': '# Owls\n\nThe owls wake at dusk.\n' });
    await env.json('mempalace', ['projects', 'add', barn]);
    await view('view=health');
    await page.getByRole('button', { name: barn }).click();
    await page.getByText('1 new, 0 changed, 0 removed; 1 drawer added').waitFor({ timeout: 60_000 });
    await page.locator('[aria-label=Runs] tbody tr').first().filter({ hasText: 'mempalace-docs' }).waitFor();
    expect((await env.json('mempalace', ['list', 'sources', '--wing', 'wing_barn'])).total).toBe(1);
    expect(readFileSync(join(env.palace, 'write-log.jsonl'), 'utf8')).toContain('"tool":"POST /run/docs"');
    expect(troubles).toEqual([]);
  }, 120_000);

  it('shows the log and what is scheduled, and changes settings, which can be undone', async () => {
    const env = await filled();
    env.project('.config/mempalace', { 'config.yaml': '# mine\nsearch:\n  limit: 2 # two\n' });
    const file = join(env.home, '.config/mempalace/config.yaml');
    const { page, view, troubles } = await openPage(env);
    await view('view=health');
    await page.getByText('Nothing is scheduled.').waitFor();
    await page.locator('summary').filter({ hasText: file }).click();
    const limit = page.getByLabel('search.limit', { exact: true });
    await limit.fill('1');
    await limit.press('Enter');
    await page.locator('.toast').getByText('search.limit: 1').waitFor();
    expect(readFileSync(file, 'utf8')).toBe('# mine\nsearch:\n  limit: 1 # two\n');
    await page.getByLabel('search.rank').selectOption('lexical');
    await page.locator('.toast').getByText('search.rank: lexical').waitFor();
    expect(await env.json('mempalace', ['config'])).toMatchObject({
      settings: { search: { limit: 1, rank: 'lexical' } },
    });
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.locator('.toast').getByText('Undone').waitFor();
    await page.getByLabel('Usual value of search.rank').waitFor({ state: 'detached' });
    await limit.fill('many');
    await limit.press('Enter');
    await page.locator('.toast').getByText('a whole number from 1 to 4096 is wanted').waitFor();
    await expect.poll(() => limit.inputValue()).toBe('1');
    await page.getByText('What brokers and background runs said').click();
    await page.getByRole('region', { name: 'Log' }).getByRole('combobox').first().selectOption('writes');
    await page.getByText('POST /config/set: done {"key":"search.rank"').first().waitFor();
    expect(await seriousTo(page)).toEqual([]);
    await page.getByLabel('Usual value of search.limit').click();
    await page.locator('.toast').getByText('search.limit: 5, the usual value').waitFor();
    expect(readFileSync(file, 'utf8')).not.toContain('limit');
    // The answer 400 is an error of the network to the browser.
    expect(troubles.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  });

  it('is usable on a narrow screen', async () => {
    const env = await filled((env) => {
      const folder = 'foldersettings'.repeat(8);
      env.project(folder, { 'config.yaml': '' });
      env.env.MEMPALACE_CONFIG = join(env.home, folder, 'config.yaml');
    });
    const { page, view } = await openPage(env);
    await page.setViewportSize({ width: 360, height: 740 });
    const year = `(({ scrollLeft, scrollWidth, clientWidth }) => [scrollLeft > 0, scrollWidth - clientWidth - scrollLeft])(
      document.querySelector('.calendar').parentElement)`;
    await page.reload();
    await page.locator('.calendar').waitFor();
    expect(await page.evaluate(year)).toEqual([true, 0]);
    for (const [query = ''] of Object.values(VIEWS)) {
      await view(query);
      await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
      await page.getByText('Reading…').first().waitFor({ state: 'detached' });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([query, overflow]).toEqual([query, 0]);
    }
  });

  it('runs no script that is filed: in texts, titles, names of files and folders, facts and diaries', async () => {
    const env = new TestEnv();
    withBroker(env);
    const named = SCRIPTS.filter((script) => !script.includes('/') && script.length < 120);
    env.project('<img src=x onerror=alert(1)>', {
      'all.md': `# ${SCRIPTS[0]}\n\nxss ${SCRIPTS.join('\n\nxss ')}\n`,
      ...Object.fromEntries(named.map((name, n) => [`${name}.md`, `# xss ${SCRIPTS[n]}\n\nxss text\n`])),
    });
    await env.run('mempalace-docs', [join(env.home, '<img src=x onerror=alert(1)>')]);
    const { done } = await connected(env, ['--tools', 'all']);
    for (const [n, script] of SCRIPTS.slice(0, 10).entries()) {
      await done('diary_write', { agent_name: 'ada', topic: 'xss', entry: `xss ${script}` });
      for (const [subject, predicate, object] of [
        [`xss ${script}`, 'runs', script],
        ['xss', 'decision', script],
        ['yss', 'decision', script],
        ['xss', 'decision', `not ${script}`],
        [`xss ${SCRIPTS[0]}`, 'default_branch', script],
      ])
        await done('kg_add', { subject, predicate, object });
      await done('task_add', { text: `xss ${script}` });
      await done('build_collection', { name: `xss ${n}`, query: `xss ${script}` });
    }
    const { page, view, troubles } = await openPage(env);
    await page.exposeFunction('alert', (text: unknown) => troubles.push(`ran: ${text}`));
    for (const query of [
      'view=home',
      'view=search&q=xss',
      'view=search&q=xss&offset=10',
      'view=browse',
      'view=told',
      'view=facts',
      'view=facts&entity=xss',
      'view=patterns',
      'view=collections',
      'view=collections&name=xss+0',
      'view=checkpoints',
      'view=tasks',
      'view=diary',
      'view=health',
      'view=forget&source=all.md',
      'view=forget&wing=wing_img_src_x_onerror_alert_1',
      'view=source&name=all.md',
      ...SCRIPTS.map((script) => `view=search&q=${encodeURIComponent(script)}`),
      ...SCRIPTS.slice(0, 5).flatMap((script) => [
        `view=facts&entity=${encodeURIComponent(script)}`,
        `view=source&name=${encodeURIComponent(script)}`,
        `view=collections&name=${encodeURIComponent(`xss ${script}`)}`,
        `view=files&file=${encodeURIComponent(`${script}.md`)}`,
        `view=told&folder=${encodeURIComponent(script)}`,
        `view=checkpoints&name=${encodeURIComponent(script)}`,
      ]),
    ]) {
      await view(query);
      const strange = await page.evaluate(
        `document.querySelectorAll('main :is(script, iframe, object, embed, img, base, form[action], a[href^="javascript"])').length`,
      );
      expect([query, strange]).toEqual([query, 0]);
    }
    await view('view=search&q=xss');
    await page.locator('.hit').first().getByLabel('More on').click();
    await page.getByText('Collect', { exact: true }).first().click();
    await page.locator('.hit li').filter({ hasText: 'xss' }).first().waitFor();
    expect(await page.locator('main :is(script, iframe, img)').count()).toBe(0);
    await view('view=facts');
    await page.locator('.conflict').first().waitFor();
    // An answer that there is no such source is an error of the network to the browser.
    expect(troubles.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  });

  it('tells a page of another port of this machine nothing, even in the same browser', async () => {
    const env = await filled();
    const context = await browserContext();
    const { origin } = await openPage(env, context);
    const cookies: (string | undefined)[] = [];
    const other = createServer(({ headers }, response) => {
      cookies.push(headers.cookie);
      response.setHeader('content-type', 'text/html').end('<title>other</title>');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const tried = await page.evaluate(
      async ([target]) => {
        const sent = (init: RequestInit) =>
          fetch(`${target}/api/v1/status`, init).then(
            (response) => `${response.type} ${response.status}`,
            () => 'refused',
          );
        return [
          await sent({ credentials: 'include' }),
          await sent({ credentials: 'include', headers: { 'x-mempalace-key': 'x' } }),
          await sent({ credentials: 'include', mode: 'no-cors' }),
          await sent({ credentials: 'include', method: 'POST', mode: 'no-cors' }),
        ];
      },
      [origin],
    );
    expect(tried).toEqual(['refused', 'refused', 'opaque 0', 'opaque 0']);
    // The browser sends the cookie to every port: alone it opens nothing.
    const cookie = cookies.find((each) => each?.includes('mempalace-')) ?? '';
    expect(cookie).not.toBe('');
    expect((await rawly(new URL(origin), '/api/v1/status', { cookie })).status).toBe(401);
    await page.evaluate(
      `new Promise((done) => { const frame = document.createElement('iframe'); frame.src = '${origin}/'; frame.onload = done; document.body.append(frame); })`,
    );
    expect(page.frames().some((frame) => frame.url().startsWith(origin))).toBe(false);
  });
});
