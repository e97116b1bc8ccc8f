import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { modelById } from '../../src/embedding/index.js';
import { PieceBuilder } from '../../src/miner/pieces.js';
import { type Filing, Palace } from '../../src/store/index.js';
import { withBroker } from '../support/broker.js';
import { builtOnce } from '../support/built-once.js';
import { closeBrowser, NO_CHROMIUM, openPage } from '../support/chromium.js';
import { documents } from '../support/document-schemas.js';
import { filingOf, hashOf } from '../support/palace.js';
import type { TestEnv } from '../support/test-env.js';

const LINES = 50_000;
const SOURCES = 2_000;
const FACTS = 400;
/** Elements of the document, however long what it shows is. */
const MOST_ELEMENTS = 1_500;

const lineOf = (number: number): string =>
  `the words of line ${number}${number === 31_415 ? ', with an owl' : ''}`;

/** A long document, a long transcript whose every other turn is a tool's, and many short documents. */
async function fill(env: TestEnv): Promise<void> {
  const palace = Palace.write(env.palace, modelById('use-lite'));
  const run = { command: 'test', scope: '', narrowed: false, versions: {}, startedMs: 1 };
  const id = palace.runs.begin(run);
  const embedding = new Float32Array(512).fill(Math.sqrt(1 / 512));
  const file = async (texts: readonly string[], filing: Filing): Promise<void> => {
    const builder = new PieceBuilder();
    await builder.add(texts.join(''));
    palace.vectors.keep(
      texts.map((text) => ({ hash: hashOf(text), embedding })),
      palace.model,
    );
    palace.file({ ...filing, pieces: await builder.finish() }, { id, now: '2026-01-02T03:04:05.000Z' });
  };
  const parts = Array.from({ length: LINES / 100 }, (_, part) =>
    Array.from({ length: 100 }, (_, index) => `${lineOf(part * 100 + index + 1)}\n`).join(''),
  );
  await file(parts, filingOf('doc:p/long.md', parts));
  let start = 0;
  const turns = parts.map((text, part) => {
    const turn = { role: part % 2 === 0 ? ('user' as const) : ('result' as const), start };
    start += text.length;
    return turn;
  });
  await file(parts, { ...filingOf('opencode:ses_long', parts, { kind: 'conversation' }), turns });
  for (let source = 0; source < SOURCES; source += 1) {
    const texts = [`Text ${source}.\n`];
    const day = new Date(Date.UTC(2025, 0, 1) - source * 86_400_000).toISOString().slice(0, 10);
    const title = `Short ${source}`;
    await file(texts, filingOf(`doc:p/short${source}.md`, texts, { title }, day));
  }
  const recordedAt = '2026-01-02T03:04:05.000Z';
  const absent = { valid_to: null, source_drawer_id: null, source_file: null, source_closet: null };
  palace.facts.addEntity({ id: 'barn', name: 'barn' }, recordedAt);
  for (let fact = 0; fact < FACTS; fact += 1) {
    palace.facts.addEntity({ id: `owl_${fact}`, name: `owl ${fact}` }, recordedAt);
    palace.facts.add({
      ...absent,
      ...{ triple_id: `t_${fact}`, subject_id: `owl_${fact}`, predicate: 'lives_in', object_id: 'barn' },
      ...{
        valid_from: new Date(Date.UTC(2025, 0, 1 + fact)).toISOString().slice(0, 10),
        recorded_at: recordedAt,
      },
      ...{ confidence: 1, source_key: `fact_${fact}`, added_by: 'test' },
    });
  }
  palace.close();
}

const machine = builtOnce(fill);
const longPalace = async (): Promise<TestEnv> => withBroker((await machine()).env);

const elements = (page: Page): Promise<number> => page.evaluate(`document.querySelectorAll('*').length`);

/** What is wrong with lines and rows in view: their words, their order, their places. */
const LINES_IN_VIEW = `(() => {
  const seen = [...document.querySelectorAll('.line')].filter((line) => {
    const { top, bottom } = line.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  return seen.map((line) => ({ number: Number(line.dataset.line), text: line.textContent, top: line.getBoundingClientRect().top }));
})()`;

interface Line {
  number: number;
  text: string;
  top: number;
}

async function soundLines(page: Page): Promise<Line[]> {
  const lines = await page.evaluate<Line[]>(LINES_IN_VIEW);
  for (const { number, text } of lines) expect(text).toBe(lineOf(number));
  for (const [index, line] of lines.entries()) {
    const { [index - 1]: before } = lines;
    if (before === undefined) continue;
    expect(line.number).toBe(before.number + 1);
    expect(line.top).toBeGreaterThan(before.top);
  }
  return lines;
}

const serious = (page: Page): Promise<unknown> =>
  page.evaluate(`${axe.source}; axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ' ' + nodes.slice(0, 3).map(({ html }) => html).join(' ')))`);

const scrolledTo = async (page: Page, share: number): Promise<void> => {
  await page.mouse.wheel(0, 1);
  await page.evaluate(`scrollTo(0, (document.documentElement.scrollHeight - innerHeight) * ${share})`);
};

afterAll(closeBrowser);

describe.skipIf(NO_CHROMIUM !== undefined)(
  `long lists and texts in Chromium (${NO_CHROMIUM ?? 'is there'})`,
  () => {
    it('shows a document of 50,000 lines in few elements, each line in its place, and finds words in it', async () => {
      const { page, view, troubles } = await openPage(await longPalace());
      await view('view=source&name=doc:p/long.md');
      await page.locator('#L1').waitFor();
      for (const share of [0, 0.1, 0.37, 0.8, 1, 0.5]) {
        await scrolledTo(page, share);
        await expect
          .poll(async () => (await page.evaluate<Line[]>(LINES_IN_VIEW)).length)
          .toBeGreaterThan(10);
        await soundLines(page);
        expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
      }
      await view('view=source&name=doc:p/long.md&line=40123');
      await page.locator('#L40123.target').waitFor();
      const isInView = (id: string) =>
        page.evaluate<boolean>(
          `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.getElementById('${id}').getBoundingClientRect())`,
        );
      await expect.poll(() => isInView('L40123')).toBe(true);
      await soundLines(page);
      await page.keyboard.press('Control+f');
      await page.getByLabel('Find in it').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('AN OWL');
      await page.keyboard.press('Enter');
      await page.waitForURL(/line=31415/);
      await page.locator('#L31415.target mark').waitFor();
      await expect.poll(() => isInView('L31415')).toBe(true);
      await page.getByText('1 of 1 lines').waitFor();
      expect(await serious(page)).toEqual([]);
      expect(troubles).toEqual([]);
    }, 180_000);

    it('shows a transcript of 50,000 lines: turns open and fold, and a line in a folded one is shown', async () => {
      const { page, view, troubles } = await openPage(await longPalace());
      await view('view=source&name=opencode:ses_long&line=101');
      await page.locator('#L101.target').waitFor();
      await view('view=source&name=opencode:ses_long');
      const fold = page.getByRole('button', { name: 'Tool result lines 101–200' });
      await fold.scrollIntoViewIfNeeded();
      expect(await page.locator('#L150').count()).toBe(0);
      await fold.click();
      await page.locator('#L150').scrollIntoViewIfNeeded();
      await soundLines(page);
      for (const share of [1, 0.3, 0]) {
        await scrolledTo(page, share);
        await page.locator('.turn').first().waitFor();
        expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
      }
      await fold.click();
      await page.locator('#L150').waitFor({ state: 'detached' });
      await view('view=source&name=opencode:ses_long&line=30150');
      await page.locator('#L30150.target').waitFor();
      await soundLines(page);
      expect(await serious(page)).toEqual([]);
      expect(troubles).toEqual([]);
    }, 180_000);

    it('scrolls through thousands of sources in few elements, and comes back to where it was', async () => {
      const env = await longPalace();
      const { page, view, troubles } = await openPage(env);
      await view('view=browse');
      await page.getByText(`${(SOURCES + 2).toLocaleString('en')} sources`).waitFor();
      for (const share of [0.2, 0.6, 1]) {
        await scrolledTo(page, share);
        await expect.poll(() => page.locator('.row').count()).toBeGreaterThan(10);
        expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
      }
      const last = page.getByRole('link', { name: `Short ${SOURCES - 1}`, exact: true });
      await last.waitFor();
      const row = page.locator('.row').filter({ has: last });
      expect(await row.getAttribute('aria-posinset')).toBe(String(SOURCES + 2));
      await page.waitForURL(/offset=\d{4}/);
      expect(await serious(page)).toEqual([]);
      await last.click();
      await page.getByText(`Text ${SOURCES - 1}.`).waitFor();
      await page.goBack();
      await last.waitFor();
      expect(troubles).toEqual([]);
    }, 180_000);

    it('shows the hits of a search as they are scrolled to, those of mempalace search, and comes back to one', async () => {
      const env = await longPalace();
      const LAST = 47;
      const found = await env.json('mempalace', ['search', 'text', '--limit', String(LAST + 1)]);
      const titles = documents.search.parse(found).hits.map(({ title }) => title);
      const { page, view, troubles } = await openPage(env);
      await view('view=search&q=text');
      const titleOf = (index: number) => page.locator(`#hit-${index} h2`).textContent();
      const shown: (string | null)[] = [];
      for (let index = 0; index <= LAST; index += 1) {
        await page.locator(`#hit-${index} h2`).scrollIntoViewIfNeeded();
        shown.push(await titleOf(index));
      }
      expect(shown).toEqual(titles);
      expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
      expect(await page.locator('#hit-0').count()).toBe(0);
      expect(await serious(page)).toEqual([]);
      await page.waitForURL(/offset=[34]\d/);
      await page.locator(`#hit-${LAST} h2 a`).focus();
      await page.keyboard.press('ArrowUp');
      await page.locator(`#hit-${LAST - 1} h2 a:focus`).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/view=source/);
      await page.goBack();
      await page.locator(`#hit-${LAST - 1} h2`).waitFor();
      expect(await titleOf(LAST - 1)).toBe(titles[LAST - 1]);
      await view('view=search&q=text&offset=100000');
      await page.locator('#hit-0 h2').waitFor();
      expect(new URL(page.url()).searchParams.has('offset')).toBe(false);
      expect(troubles).toEqual([]);
    }, 180_000);

    it('looks at more candidates for few hits, once nobody types any more', async () => {
      const env = await longPalace();
      const { page, view } = await openPage(env);
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (pathname.endsWith('/search'))
          asked.push(`${searchParams.get('q')} ${searchParams.has('quick') ? 'quick' : 'all'}`);
      });
      await view('view=search');
      await page.getByLabel('Search the palace').fill('owl');
      await page.getByLabel('Search the palace').fill('an owl');
      await page.locator('main > [aria-busy=false]').waitFor();
      expect(asked).toEqual(['owl quick', 'an owl quick', 'an owl all']);
      const found = await env.json('mempalace', ['search', 'an owl', '--limit', '10']);
      for (const [index, hit] of documents.search.parse(found).hits.entries()) {
        const name = hit.title ?? hit.source_file.split('/').at(-1);
        await page.locator(`#hit-${index} h2`).filter({ hasText: name }).scrollIntoViewIfNeeded();
      }
    }, 180_000);

    it('scrolls through hundreds of facts in few elements, newest first', async () => {
      const { page, view, troubles } = await openPage(await longPalace());
      await view('view=facts');
      await page.getByText(`${FACTS} facts`).waitFor();
      const rowOf = (fact: number) => page.locator('.row').filter({ hasText: `owl ${fact} lives_in barn` });
      await rowOf(FACTS - 1).waitFor();
      for (const share of [0.3, 0.7, 1]) {
        await scrolledTo(page, share);
        await expect.poll(() => page.locator('.row').count()).toBeGreaterThan(10);
        expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
      }
      await rowOf(0).getByText('from 2025-01-01').waitFor();
      expect(await rowOf(0).getAttribute('aria-posinset')).toBe(String(FACTS));
      await page.waitForURL(/offset=3\d\d/);
      expect(await serious(page)).toEqual([]);
      await rowOf(0).getByRole('link', { name: 'owl 0' }).click();
      await page.waitForURL(/entity=owl/);
      await page.goBack();
      await rowOf(0).waitFor();
      expect(troubles).toEqual([]);
    }, 180_000);
  },
);
