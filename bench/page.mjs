/**
 * The page of `mempalace ui` in Chromium over a large palace: the first view, search as you type with a warm broker, and the
 * memory of the tab (`npm run build` first; part of `npm run bench`). Each next to a baseline of the same run.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { median, row } from './support/figures.mjs';
import { largePalace, someQuestions } from './support/large-palace.mjs';
import { newMachine, runJson, runProgram } from './support/machine.mjs';
import { memoryOf } from './support/memory-of.mjs';
import { TYPED } from './support/typed.mjs';

const TARGETS = { firstMs: 1_000, hitsMs: 150, tabMb: 150 };
const FULL = { drawers: 100_000, embedded: 10_000, rounds: 7, words: 40, results: 1_000 };
const QUICK = { drawers: 5_000, embedded: 500, rounds: 2, words: 4, results: 50 };
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Chromium frees the nodes of results that were scrolled past once the tab is idle. */
const IDLE_MS = 15_000;
/** A file that the server sends without asking the palace, and that runs nothing. */
const BLANK = '/icon.svg';

/** What a machine serves: a palace in a folder, by its broker. */
function servedFrom(palace) {
  const machine = newMachine();
  machine.env = { ...machine.env, MEMPALACE_BROKER: 'auto', MEMPALACE_PALACE_PATH: palace };
  return machine;
}

async function newTab(browser, machine) {
  const { json } = await runJson(machine, 'mempalace', ['ui', '--no-open']);
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  return { page: await context.newPage(), url: json.url };
}

/** In a browser that has not seen the page before: from the request until `shown`, milliseconds. */
async function firstView(browser, machine, { path, shown }) {
  const { page, url } = await newTab(browser, machine);
  const began = performance.now();
  await page.goto(path === undefined ? url : `${new URL(url).origin}${path}`);
  await page.locator(shown).first().waitFor();
  const ms = performance.now() - began;
  await page.context().close();
  return ms;
}

/** The views take turns, so that a busy machine delays all of them. */
async function firstViews(browser, { full, empty }, { rounds }) {
  const views = [];
  for (let round = 0; round < rounds; round += 1)
    views.push({
      blank: await firstView(browser, full, { path: BLANK, shown: 'svg' }),
      empty: await firstView(browser, empty, { shown: '.figures' }),
      full: await firstView(browser, full, { shown: 'table' }),
    });
  const of = (name) => views.map((view) => view[name]);
  return { blank: of('blank'), empty: of('empty'), full: of('full') };
}

/** The words of questions are typed one after the other. @returns per word what `TYPED` measures */
async function searches(page, { words, asked }) {
  const typed = asked
    .flatMap((question) => question.split(' ').map((_, n, all) => all.slice(0, n + 1).join(' ')))
    .slice(0, words + 2);
  const times = [];
  for (const text of typed) times.push(await page.evaluate(`(${TYPED})(${JSON.stringify(text)})`));
  // The first ones load what the others find loaded.
  return times.slice(2);
}

/** Megabytes of PSS of the largest tab. */
async function weight(browser) {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  const weights = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => memoryOf(id)?.pss ?? 0);
  return Math.max(...weights);
}

/** Scrolls to the last hit, again and again. */
async function goThroughHits(page, results) {
  const seen = () =>
    page.evaluate(`Math.max(0, ...[...document.querySelectorAll('.hits [aria-posinset]:has(.hit)')]
      .map((row) => row.ariaPosInSet === row.ariaSetSize ? Infinity : Number(row.ariaPosInSet)))`);
  for (let last = 0; last < results; last = await seen()) {
    await page.mouse.wheel(0, 4_000);
    await page.waitForTimeout(50);
  }
}

async function measure(browser, machines, plan, note) {
  const first = await firstViews(browser, machines, plan);
  note('first views: done');
  const { page, url } = await newTab(browser, machines.full);
  await page.goto(`${new URL(url).origin}${BLANK}`);
  const blankTab = await weight(browser);
  await page.goto(url);
  await page.locator('table').first().waitFor();
  await page.goto(`${new URL(url).origin}/?view=search&q=the`);
  await page.locator('.hits').waitFor();
  const typed = await searches(page, plan);
  note('searches: done');
  await goThroughHits(page, plan.results);
  const scrolled = await weight(browser);
  await page.waitForTimeout(IDLE_MS);
  return { first, typed, scrolled, tab: await weight(browser), blankTab };
}

/** @param {{ quick: boolean, note: (text: string) => void, keep?: string }} options `keep`: a folder where palaces stay */
export async function benchPage({ quick, note, keep }) {
  if (process.platform !== 'linux' || !existsSync(CHROMIUM))
    return [row('page', 'not measured', { note: 'it needs Linux and chromium' })];
  const plan = { ...(quick ? QUICK : FULL), asked: someQuestions(16) };
  const maker = newMachine();
  const { folder } = await largePalace(maker, { folder: keep ?? maker.folder, ...plan, note });
  const machines = { full: servedFrom(folder), empty: servedFrom(join(maker.folder, 'empty')) };
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    return rowsOf(await measure(browser, machines, plan, note), plan, quick);
  } finally {
    await browser.close();
    for (const machine of Object.values(machines)) {
      await runProgram(machine, 'mempalace', ['broker', 'stop']);
      machine.remove();
    }
    maker.remove();
  }
}

function rowsOf({ first, typed, scrolled, tab, blankTab }, { drawers, results }, quick) {
  const most = (name, figure, limit, unit, more) =>
    row(`page, ${drawers} drawers: ${name}`, `${figure.toFixed(0)} ${unit}`, {
      ...(quick ? {} : { target: `≤ ${limit} ${unit}`, met: figure <= limit }),
      note: more,
    });
  const times = (figure, baseline) => `${(figure / baseline).toFixed(1)} ×`;
  const view = median(first.full);
  const [blank, empty] = [median(first.blank), median(first.empty)];
  const [all, server, nothing] = ['all', 'server', 'nothing'].map((name) =>
    median(typed.map((word) => word[name])),
  );
  return [
    most(
      'first view',
      view,
      TARGETS.firstMs,
      'ms',
      `the slowest ${Math.max(...first.full).toFixed(0)} ms; ${times(view, blank)} a blank file of the same server (${blank.toFixed(0)} ms), ` +
        `${times(view, empty)} the first view of an empty palace (${empty.toFixed(0)} ms)`,
    ),
    most(
      'a typed word to new hits',
      all,
      TARGETS.hitsMs,
      'ms',
      `${typed.length} words, the slowest ${Math.max(...typed.map((word) => word.all)).toFixed(0)} ms; ${times(all, server)} the answer of the server ` +
        `(${server.toFixed(0)} ms); a request that asks for nothing ${nothing.toFixed(0)} ms`,
    ),
    most(
      `memory of the tab after ${results} results, PSS, idle for ${IDLE_MS / 1000} s`,
      tab,
      TARGETS.tabMb,
      'MB',
      `right after the last result ${scrolled.toFixed(0)} MB; a tab with a blank file ${blankTab.toFixed(0)} MB`,
    ),
  ];
}
