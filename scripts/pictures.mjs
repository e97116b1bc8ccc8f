// Makes the pictures of the page in docs/images/, in both themes, from a palace of this checkout's own documents and of generated
// sessions: `npm run pictures`. Needs Chromium, and a font for Chinese and Japanese (Debian: fonts-droid-fallback). A picture shows
// times of its making.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const IMAGES = join(ROOT, 'docs', 'images');
const SIZE = { width: 1040, height: 650 };
/** Of the newest session, once it is known. */
const SESSION = '{session}';
/** Of its checkpoint. */
const LINE = '{line}';

const VIEWS = {
  home: 'view=home',
  search: 'view=search&q=what happens to the open calls when the broker is killed',
  sources: 'view=sources',
  document: 'view=source&name=broker.md',
  // Its end, where a checkpoint is.
  session: `view=source&name=${SESSION}&line=${LINE}`,
  files: 'view=files&file=broker.md',
  'wake-up': 'view=wake-up',
  facts: 'view=facts',
  graph: 'view=facts&entity=toolkit',
  patterns: 'view=patterns',
  collections: 'view=collections&name=broker',
  checkpoints: 'view=checkpoints',
  checkpoint: `view=checkpoints&name=${SESSION}`,
  diary: 'view=diary',
  tasks: 'view=tasks',
  suggestions: 'view=suggestions',
  health: 'view=health',
  forget: 'view=forget&source=broker.md',
  scripts: 'view=search&q=heron 鷺 مالك الحزين אנפה',
  'scripts-document': 'view=source&name=scripts.md',
};
/** Also as on a telephone. */
const NARROW = ['home', 'search', 'session'];

/** Texts from right to left, and without spaces. */
const SCRIPTS = `# Herons مالك الحزين 鷺 אנפה

يقف مالك الحزين (heron) عند الفجر قرب البركة رقم 3، ثم يطير غربًا.

האנפה (heron) עומדת עם שחר ליד בריכה 3, ואז עפה מערבה.

鷺（heron）は夜明けに池3のそばに立ち、それから西へ飛んでいく。

苍鹭（heron）黎明时站在3号池塘边，然后向西飞去。
`;

/** Nothing is awaited any more, for some time: a view may ask for one thing after another. */
async function settled(page) {
  await page.locator('main h1').waitFor();
  const isReading = () => page.locator('main :is([aria-busy=true], [role=status]:text("Reading…"))').count();
  for (let quiet = 0; quiet < 5; quiet = (await isReading()) === 0 ? quiet + 1 : 0)
    await page.waitForTimeout(100);
}

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
  writeFileSync(join(project, 'docs', 'scripts.md'), SCRIPTS);
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
    mempalace('facts', 'add', ...fact);
  mempalace('diary', 'write', '--agent', 'opencode', 'The broker retires in order. Left: its tests.');
  mempalace('task', 'add', 'Check the rounding of refunds', '--for', 'codex');
  mempalace('task', 'add', 'Write down why the port is 8443');
  mempalace('task', 'take', '2', '--agent', 'opencode');
  mempalace('collection', 'add', 'broker', '--query', 'what happens when the broker is killed');
  const listed = mempalace('list', 'sources', '--type', 'conversation', '--json');
  const [{ session_id: session }] = JSON.parse(listed).sources;
  mempalace('checkpoint', '--session', session, '--note', 'Rounding is done; the tax is next.');
  const [{ line }] = JSON.parse(mempalace('checkpoint', 'list', '--json')).checkpoints;
  const addressOf = (query) =>
    `${new URL(url).origin}/?${query.replace(SESSION, session).replace(LINE, line)}`;
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
      await page.goto(addressOf(query));
      await settled(page);
      const file = join(IMAGES, `${name}${colorScheme === 'light' ? '' : '-dark'}.png`);
      await page.screenshot({ path: file });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const name of NARROW) {
    await page.goto(addressOf(VIEWS[name]));
    await settled(page);
    await page.screenshot({ path: join(IMAGES, `${name}-narrow.png`) });
  }
  await browser.close();
} finally {
  run('bin/mempalace', 'broker', 'stop');
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
