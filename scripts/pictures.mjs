// Makes the pictures of the page in docs/images/, in both themes, from a palace of this checkout's own documents and of generated
// sessions: `npm run pictures`. Needs Chromium. A picture shows times of its making.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const IMAGES = join(ROOT, 'docs', 'images');
const SIZE = { width: 1040, height: 650 };
/** Of the newest session, once it is known. */
const SESSION = '{session}';

const VIEWS = {
  home: 'view=home',
  search: 'view=search&q=what happens to the open calls when the broker is killed',
  sources: 'view=browse',
  document: 'view=source&name=broker.md',
  session: `view=source&name=${SESSION}`,
  files: 'view=files&file=broker.md',
  told: 'view=told',
  facts: 'view=facts',
  graph: 'view=facts&entity=toolkit',
  patterns: 'view=patterns',
  collections: 'view=collections&name=broker',
  checkpoints: 'view=checkpoints',
  checkpoint: `view=checkpoints&name=${SESSION}`,
  diary: 'view=diary',
  tasks: 'view=tasks',
  proposals: 'view=proposals',
  health: 'view=health',
  forget: 'view=forget&source=broker.md',
};

const home = mkdtempSync(join(tmpdir(), 'pictures-'));
const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' };
const run = (program, ...args) =>
  execFileSync(process.execPath, [join(ROOT, program), ...args], { env, encoding: 'utf8' });

try {
  const database = join(home, '.local/share/opencode/opencode.db');
  mkdirSync(dirname(database), { recursive: true });
  run('bench/generate-opencode.mjs', '--out', database, '--sessions', '12');
  const project = join(home, 'toolkit');
  cpSync(join(ROOT, 'docs'), join(project, 'docs'), { recursive: true });
  run('bin/mempalace-docs', project);
  run('bin/mempalace-session');
  const mempalace = (...args) => run('bin/mempalace', ...args);
  for (const fact of [
    ['toolkit', 'default_branch', 'trunk', '--from', '2026-03-01'],
    ['toolkit', 'default_branch', 'main', '--from', '2026-05-01'],
    ['toolkit', 'depends_on', 'sqlite-vec'],
    ['toolkit', 'depends_on', 'better-sqlite3'],
    ['broker', 'part_of', 'toolkit'],
    ['toolkit', 'decision', 'One file per palace'],
    ['broker', 'decision', 'One file per palace'],
  ])
    mempalace('kg', 'add', ...fact);
  mempalace('diary', 'write', '--agent', 'opencode', 'The broker retires in order. Left: its tests.');
  mempalace('task', 'add', 'Check the rounding of refunds', '--for', 'codex');
  mempalace('task', 'add', 'Write down why the port is 8443');
  mempalace('task', 'take', '2', '--agent', 'opencode');
  mempalace('collection', 'add', 'broker', '--query', 'what happens when the broker is killed');
  const listed = mempalace('list', 'sources', '--type', 'conversation', '--json');
  const [{ session_id: session }] = JSON.parse(listed).sources;
  mempalace('checkpoint', '--session', session, '--note', 'Rounding is done; the tax is next.');
  const { url } = JSON.parse(mempalace('ui', '--no-open', '--json'));
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
      await page.goto(`${new URL(url).origin}/?${query.replace(SESSION, session)}`);
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
