// Makes the pictures of the page in docs/images/, in both themes, from a palace of this checkout's own documents and of generated
// sessions: `npm run pictures`. Needs Chromium. A picture shows times of its making.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const IMAGES = join(ROOT, 'docs', 'images');
const SIZE = { width: 1120, height: 700 };

const VIEWS = {
  home: 'view=home',
  search: 'view=search&q=what happens to the open calls when the broker is killed',
  told: 'view=told',
};

const home = mkdtempSync(join(tmpdir(), 'pictures-'));
const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' };
const run = (program, ...args) =>
  execFileSync(process.execPath, [join(ROOT, program), ...args], { env, encoding: 'utf8' });

try {
  const database = join(home, '.local/share/opencode/opencode.db');
  mkdirSync(dirname(database), { recursive: true });
  run('bench/generate-opencode.mjs', '--out', database, '--sessions', '12');
  run('bin/mempalace-docs', join(ROOT, 'docs'));
  run('bin/mempalace-session');
  run('bin/mempalace', 'kg', 'add', 'toolkit', 'default_branch', 'trunk', '--from', '2026-03-01');
  run(
    'bin/mempalace',
    'diary',
    'write',
    '--agent',
    'opencode',
    'The broker retires in order. Left: its tests.',
  );
  const { url } = JSON.parse(run('bin/mempalace', 'ui', '--no-open', '--json'));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const page = await browser.newPage({ viewport: SIZE, reducedMotion: 'reduce' });
  await page.goto(url);
  await page.locator('main h1').waitFor();
  mkdirSync(IMAGES, { recursive: true });
  for (const [name, query] of Object.entries(VIEWS)) {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${new URL(url).origin}/?${query}`);
      await page.waitForLoadState('networkidle');
      const file = join(IMAGES, `${name}${colorScheme === 'light' ? '' : '-dark'}.png`);
      await page.screenshot({ path: file });
    }
  }
  await browser.close();
} finally {
  run('bin/mempalace', 'broker', 'stop');
  rmSync(home, { recursive: true, force: true });
}
