/**
 * The page of `mempalace ui` in Chromium over a large palace: the first view, search as you type with a warm broker, and the
 * memory of the tab (`npm run build` first; part of `npm run bench`).
 */
import { existsSync, readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { median, row } from './support/figures.mjs';
import { largePalace, someQuestions } from './support/large-palace.mjs';
import { newMachine, runJson, runProgram } from './support/machine.mjs';

const TARGETS = { firstMs: 1_000, hitsMs: 150, tabMb: 150 };
const FULL = { drawers: 100_000, embedded: 10_000, rounds: 7, words: 40, results: 1_000 };
const QUICK = { drawers: 5_000, embedded: 500, rounds: 2, words: 4, results: 50 };
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** In the page: types one text, and waits until its hits are there. @returns milliseconds */
const TYPED = `async (text) => {
  const input = document.querySelector('search input[type=search]');
  const main = document.querySelector('main');
  const began = performance.now();
  let asked = false;
  const shown = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      const busy = main.querySelector('.hits')?.closest('[aria-busy]')?.getAttribute('aria-busy');
      if (busy === 'true') asked = true;
      if (asked && busy === 'false') { observer.disconnect(); resolve(performance.now() - began); }
    });
    observer.observe(main, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  input.value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  return shown;
}`;

async function newPage(browser, machine) {
  const { json } = await runJson(machine, 'mempalace', ['ui', '--no-open']);
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  return { page: await context.newPage(), url: json.url };
}

/** From the request for the page until the palace is shown, milliseconds. */
async function firstViews(browser, machine, { rounds }) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const { page, url } = await newPage(browser, machine);
    const began = performance.now();
    await page.goto(url);
    await page.locator('table').first().waitFor();
    times.push(performance.now() - began);
    await page.context().close();
  }
  return times;
}

/** From a key to the new hits, milliseconds: the words of questions are typed one after the other. */
async function searches(page, { words, asked }) {
  const typed = asked
    .flatMap((question) => question.split(' ').map((_, n, all) => all.slice(0, n + 1).join(' ')))
    .slice(0, words + 2);
  const times = [];
  for (const text of typed) times.push(await page.evaluate(`(${TYPED})(${JSON.stringify(text)})`));
  // The first ones load what the others find loaded.
  return times.slice(2);
}

/** Pages through results, and then weighs the process of the tab, megabytes of PSS. */
async function memoryAfter(browser, page, results) {
  const more = page.getByRole('button', { name: 'More hits' });
  for (let seen = 10; seen < results; seen += 10) {
    await more.click();
    await page.waitForURL(new RegExp(`offset=${seen}(?:&|$)`));
    await page.locator(`.hits[start="${seen + 1}"]`).waitFor();
  }
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  const weights = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  return Math.max(...weights.map(Number)) / 1024;
}

/** @param {{ quick: boolean, note: (text: string) => void, keep?: string }} options `keep`: a folder where palaces stay */
export async function benchPage({ quick, note, keep }) {
  if (process.platform !== 'linux' || !existsSync(CHROMIUM))
    return [row('page', 'not measured', { note: 'it needs Linux and chromium' })];
  const machine = newMachine();
  const plan = { ...(quick ? QUICK : FULL), asked: someQuestions(16) };
  const { folder } = await largePalace(machine, { folder: keep ?? machine.folder, ...plan, note });
  machine.env = { ...machine.env, MEMPALACE_BROKER: 'auto', MEMPALACE_PALACE_PATH: folder };
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const first = await firstViews(browser, machine, plan);
    note('first views: done');
    const { page, url } = await newPage(browser, machine);
    await page.goto(url);
    await page.locator('table').first().waitFor();
    await page.goto(`${new URL(url).origin}/?view=search&q=the`);
    await page.locator('.hits').waitFor();
    const hits = await searches(page, plan);
    note('searches: done');
    const tab = await memoryAfter(browser, page, plan.results);
    const most = (name, figure, limit, unit, more) =>
      row(`page, ${plan.drawers} drawers: ${name}`, `${figure.toFixed(0)} ${unit}`, {
        ...(quick ? {} : { target: `≤ ${limit} ${unit}`, met: figure <= limit }),
        note: more,
      });
    return [
      most(
        'first view',
        median(first),
        TARGETS.firstMs,
        'ms',
        `the slowest ${Math.max(...first).toFixed(0)} ms`,
      ),
      most(
        'a typed word to new hits',
        median(hits),
        TARGETS.hitsMs,
        'ms',
        `${hits.length} words, the slowest ${Math.max(...hits).toFixed(0)} ms`,
      ),
      most(`memory of the tab after ${plan.results} results, PSS`, tab, TARGETS.tabMb, 'MB'),
    ];
  } finally {
    await browser.close();
    await runProgram(machine, 'mempalace', ['broker', 'stop']);
    machine.remove();
  }
}
