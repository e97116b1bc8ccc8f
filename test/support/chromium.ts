import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { TestEnv } from './test-env.js';

/** Debian's, or another that is named. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Why tests of the page are skipped; undefined if they run. */
export const NO_CHROMIUM = existsSync(CHROMIUM) ? undefined : 'needs chromium: apt-get install chromium';

const FLAGS = [
  ...'--no-sandbox --disable-gpu --disable-quic --no-first-run'.split(' '),
  ...'--disable-background-networking --disable-component-update --disable-sync'.split(' '),
];

let browser: Promise<Browser> | undefined;

/** A browser with an empty profile; it ends with the test. */
export async function browserContext(): Promise<BrowserContext> {
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 860 } });
  onTestFinished(() => context.close());
  return context;
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/** A link from `mempalace ui`. */
export async function linkTo(env: TestEnv): Promise<string> {
  return String((await env.json('mempalace', ['ui', '--no-open'])).url);
}

export interface OpenPage {
  page: Page;
  origin: string;
  /** What went wrong in it, and what it asked of other machines. */
  troubles: string[];
  /** Shows a view, and waits until it is read. */
  view(query: string): Promise<void>;
}

/** The page, let in by a link. */
export async function openPage(env: TestEnv, context?: BrowserContext): Promise<OpenPage> {
  const page = await (context ?? (await browserContext())).newPage();
  const link = await linkTo(env);
  const { origin } = new URL(link);
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`${message.text()} ${message.location().url}`);
  });
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => !request.url().startsWith(origin) && troubles.push(request.url()));
  const settled = async (): Promise<void> => {
    await page.locator('main h1').waitFor();
    await page.getByText('Reading…').first().waitFor({ state: 'detached' });
  };
  await page.goto(link);
  await settled();
  return {
    page,
    origin,
    troubles,
    async view(query) {
      // As its own links do, without loading it again.
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/?${query}`)});
        dispatchEvent(new PopStateEvent('popstate'));
        new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
      await settled();
    },
  };
}

/**
 * What axe finds serious. By the debugger: the policy of the page lets no other script in.
 *
 * @param rules the only ones
 */
export async function seriousTo(page: Page, rules?: readonly string[]): Promise<unknown> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const options = JSON.stringify(rules === undefined ? {} : { runOnly: rules });
  return page.evaluate(`axe.run(${options}).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html).join(' ')))`);
}
