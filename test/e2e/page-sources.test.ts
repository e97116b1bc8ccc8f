import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { countUses } from '../../src/uses/log.js';
import { withBroker } from '../support/broker.js';
import { closeBrowser, NO_CHROMIUM, openPage, seriousTo } from '../support/chromium.js';
import { documents } from '../support/document-schemas.js';
import { exchange } from '../support/opencode-database.js';
import { filledMachine } from '../support/real-palace.js';
import { TestEnv } from '../support/test-env.js';

const machine = filledMachine();

afterAll(closeBrowser);

describe.skipIf(NO_CHROMIUM !== undefined)(`sources in Chromium (${NO_CHROMIUM ?? 'is there'})`, () => {
  it('names the links of a document, out and in, and leads along them', async () => {
    const { env } = await machine();
    const barn = env.project('barn', {
      'owls.md': '# Owls\n\nThey hunt [mice](mice.md), see [[Mice]].\n',
      'mice.md': '# Mice\n\nQuick.\n',
    });
    await env.json('mempalace-docs', [barn]);
    const { page, view, troubles } = await openPage(withBroker(env));
    await view('view=source&name=mice.md');
    await page.getByText('Linked from 1 document').waitFor();
    await page.getByRole('link', { name: 'Owls' }).click();
    await page.getByText('Links to 1 document').waitFor();
    await page.locator('p.target').filter({ hasText: 'They hunt' }).waitFor();
    expect(await page.locator('p.target a').getAttribute('href')).toContain('mice.md');
    const related = documents.related.parse(await env.json('mempalace', ['related', 'owls.md']));
    expect(related.links_to).toMatchObject([{ link: './mice.md', line: 3, title: 'Mice' }]);
    expect(troubles).toEqual([]);
  });

  it('renders Markdown with its outline; v shows it as it was filed, and what is copied is that', async () => {
    const { env } = await machine();
    const text =
      '# Owls\n\nThey hunt *mice*,\nand sleep.\n\n- one\n- **two**\n\n```sh\nhoot --loud\n\nhoot\n```\n\n## Day\n\nSleep.\n\n## Night\n\nHunt.\n\n## End\n\n0. no\n0. one\n\n|a|\n|-|\n|b|\n';
    await env.json('mempalace-docs', [env.project('barn', { 'owls.md': text })]);
    const { page, view, troubles } = await openPage(withBroker(env));
    await view('view=source&name=owls.md');
    await page.evaluate(
      `addEventListener('copy', (event) => { window.copied = event.clipboardData.getData('text/plain'); })`,
    );
    const copied = async (from: string, to: string) => {
      await page.evaluate(`(() => {
        const [first, last] = ['${from}', '${to}'].map((each) => document.querySelector(each));
        getSelection().setBaseAndExtent(first, 0, last, last.childNodes.length);
      })()`);
      await page.keyboard.press('Control+c');
      return page.evaluate('window.copied');
    };
    await page.locator('.rendered em').getByText('mice').waitFor();
    expect(await page.locator('.code figcaption').textContent()).toBe('sh');
    expect(await page.locator('.read').textContent()).not.toContain('Owls');
    const rendered = text.slice(text.indexOf('They'), text.indexOf('## Day'));
    expect(await copied('.rendered p', '.rendered pre')).toBe(rendered);
    // A click that selects a paragraph ends at the beginning of the next: the browser copies what is shown.
    await page.locator('.rendered p').first().click({ clickCount: 3 });
    await page.keyboard.press('Control+c');
    expect(await page.evaluate('window.copied')).toBe('');
    const starts = await page.locator('ol').evaluateAll((all) => all.map((list) => Object(list).start));
    expect(starts).toEqual([0, 1]);
    expect(await page.locator('.rendered .scroll:not([tabindex]):not([aria-label]) td').count()).toBe(1);
    await page.getByRole('navigation', { name: 'Outline' }).getByText('Night').click();
    await page.waitForURL(/line=19/);
    await page.locator('h3.target').getByText('Night').waitFor();
    // Again, after the text was scrolled.
    await page.setViewportSize({ width: 1280, height: 260 });
    await page.mouse.wheel(0, -2000);
    await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    await page.getByRole('navigation', { name: 'Outline' }).getByText('Night').click();
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(0);
    await page.setViewportSize({ width: 1280, height: 860 });
    expect(await seriousTo(page)).toEqual([]);
    await page.locator('main').focus();
    await page.keyboard.press('v');
    await page.locator('#L4.line').waitFor();
    expect(await page.locator('.rendered').count()).toBe(0);
    expect(await copied('#L3', '#L12')).toBe(text.slice(text.indexOf('They'), text.indexOf('\n```\n\n##')));
    await page.reload();
    await page.locator('#L19.target').waitFor();
    await page.getByRole('button', { name: 'As written' }).click();
    await page.locator('.rendered em').waitFor();
    expect(troubles).toEqual([]);
  });

  it('shows a session among its sub-agents and forks', async () => {
    const { env, history } = await machine();
    history.addSession({
      parent: 'ses_0000000001login',
      title: 'Look for the cookie',
      messages: exchange('Where is the cookie set?', 'In auth/session.ts.'),
    });
    history.close();
    await env.json('mempalace-session', []);
    const { page, view, troubles } = await openPage(withBroker(env));
    await view('view=source&name=ses_0000000001login');
    const tree = page.getByRole('region', { name: 'Sub-agents and forks' });
    await tree.getByText('fork · 1 drawer').waitFor();
    await tree.locator('li li').filter({ hasText: 'Look for the cookie' }).getByText('sub-agent').waitFor();
    await tree.getByRole('link', { name: 'Login broken (fork #1)' }).click();
    await page.getByText('And what of the mobile app?').waitFor();
    await tree.getByRole('link', { name: 'Login broken after the upgrade' }).waitFor();
    expect(await tree.locator('[aria-current]').textContent()).toBe('Login broken (fork #1)');
    expect(troubles).toEqual([]);
  });

  it('searches in the orders and with the filters of the command, and the address keeps them', async () => {
    const { env } = await machine();
    const barn = env.project('barn', { 'barn.md': '# Barn\n\nThe barn is red.\n' });
    const shed = env.project('shed', { 'shed.md': '# Shed\n\nThe shed beside the barn.\n' });
    for (const folder of [barn, shed]) await env.json('mempalace-docs', [folder]);
    const { page, view, troubles } = await openPage(withBroker(env));
    const titles = async (asked: readonly string[]) => {
      const found = await env.json('mempalace', [
        'search',
        'barn',
        '--everywhere',
        '--limit',
        '10',
        ...asked,
      ]);
      return documents.search.parse(found).hits.map(({ title }) => String(title));
    };
    const shown = () => page.locator('.hit h2').allTextContents();
    await view('view=search&q=barn');
    await page.locator('.hit').nth(1).waitFor();
    const add = async (name: string): Promise<void> => {
      await page.getByText('+ filter').click();
      await page.getByRole('button', { name, exact: true }).click();
      await page.locator('.removable :focus').waitFor();
    };
    await add('order');
    await page.locator('[data-filter=rank] select').selectOption('lexical');
    await page.waitForURL(/rank=lexical/);
    await add('folder');
    await page.keyboard.type(barn);
    await page.keyboard.press('Enter');
    await page.getByText('1 hit.').waitFor();
    expect(await shown()).toEqual(await titles(['--rank', 'lexical', '--directory', barn]));
    await page.getByRole('button', { name: 'Remove folder' }).click();
    await page.getByLabel('folder').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.has('directory')).toBe(false);
    await add('score from');
    await page.keyboard.type('0.9');
    await page.keyboard.press('Enter');
    await page.waitForURL(/min_score=0.9/);
    const best = await titles(['--rank', 'lexical', '--min-score', '0.9']);
    await vi.waitFor(async () => expect(await shown()).toEqual(best));
    expect(troubles).toEqual([]);
  });

  it('finds by a declared type, marks what was redacted, names what is not prose', async () => {
    const { env } = await machine();
    const barn = env.project('barn', {
      'owls.md': '---\ntype: Principle card\n---\n# Owls\n\nThe barn has password: hunter2x9Qz7Lm.\n',
      'barn.md': '# Barn\n\nThe barn is red.\n',
      'CHANGELOG.md': '# Changes\n\n## 1.0.0\n\nA roof.\n',
    });
    await env.json('mempalace-docs', [barn]);
    const { page, view, troubles } = await openPage(withBroker(env));
    const choose = async (): Promise<void> => {
      await page.keyboard.type('principle-card');
      await page.keyboard.press('Enter');
      await page.waitForURL(/type=principle-card/);
    };
    await view('view=search&q=barn');
    await page.locator('.hit').nth(1).waitFor();
    await page.getByText('+ filter').click();
    await page.getByRole('button', { name: 'type' }).click();
    await page.locator('.removable :focus').waitFor();
    await choose();
    await page.getByText('1 hit.').waitFor();
    await page.locator('.hit .redacted').waitFor();
    await view('view=browse&wing=wing_barn');
    await page.getByText('3 sources').waitFor();
    await page.locator('.row').filter({ hasText: 'Changes' }).getByText('· changelog').waitFor();
    await page.getByLabel('type').focus();
    await choose();
    await page.getByText('1 source').waitFor();
    await view('view=source');
    await page.getByRole('heading', { name: 'Sources' }).waitFor();
    expect(troubles).toEqual([]);
  });

  it('makes a collection of a whole search with its filters, and undoes it', async () => {
    const { env } = await machine();
    const { page, view, troubles } = await openPage(withBroker(env));
    const listed = async () =>
      documents.collectionList.parse(await env.json('mempalace', ['collection', 'list'])).collections;
    await view('view=search&q=proxy+port&type=conversation');
    await page.getByText('Collect this search').click();
    await page.getByLabel('Name of the collection of this search').fill('ports');
    await page.getByRole('button', { name: 'Make a collection' }).click();
    await page.locator('.toast').getByText('proxy port: collected as ports').waitFor();
    expect(await listed()).toMatchObject([
      { name: 'ports', query: 'proxy port', filter: { type: 'conversation' } },
    ]);
    await page.getByLabel('Name of the collection of this search').fill('ports');
    await page.getByRole('button', { name: 'Make a collection' }).click();
    await page.locator('.toast').getByText('There is a collection ports already.').waitFor();
    expect(troubles).toEqual([]);
  });

  it('shows proposals with what they do, and does one', async () => {
    const env = new TestEnv();
    const folder = join(env.home, 'palace');
    await env.json('mempalace', ['init', '--layout', 'palace', folder, '--yes']);
    const text = '---\ntype: principle card\n---\n# Lamps\n\nLamps are switched off.\n';
    env.project('palace', { 'reflection_wing/lamps.md': text });
    await env.json('mempalace-docs', [folder]);
    const { hits } = documents.search.parse(await env.json('mempalace', ['search', 'lamps']));
    env.env.MEMPALACE_USES = 'on';
    for (const days of [60, 2, 1])
      for (const how of ['found', 'opened'] as const)
        countUses(env.palace, how, [hits[0]?.drawer_id ?? ''], Date.now() - days * 86_400_000);
    const { page, view, troubles } = await openPage(withBroker(env));
    await view('view=suggestions');
    const lamps = page.locator('.entry').filter({ hasText: 'Lamps' });
    await lamps.getByText('Tell it first…').click();
    await lamps.getByText('every wake-up tells it first').waitFor();
    expect((await env.json('mempalace', ['wake-up', '--everywhere'])).important).toEqual([]);
    await lamps.getByRole('button', { name: 'Tell it first' }).click();
    await page.locator('.toast').getByText('Tell it first: done').waitFor();
    await lamps.waitFor({ state: 'detached' });
    expect((await env.json('mempalace', ['wake-up', '--everywhere'])).important).toMatchObject([
      { pinned: true },
    ]);
    expect(readFileSync(join(env.palace, 'write-log.jsonl'), 'utf8')).toContain('POST /metabolism/apply');
    expect(await seriousTo(page)).toEqual([]);
    expect(troubles).toEqual([]);
  });
});
