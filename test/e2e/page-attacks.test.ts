import { afterAll, describe, expect, it } from 'vitest';
import { modelById } from '../../src/embedding/index.js';
import { PieceBuilder } from '../../src/miner/pieces.js';
import { Palace } from '../../src/store/index.js';
import { withBroker } from '../support/broker.js';
import { builtOnce } from '../support/built-once.js';
import { closeBrowser, NO_CHROMIUM, openPage, seriousTo } from '../support/chromium.js';
import { filingOf } from '../support/palace.js';
import { SCRIPTS } from '../support/scripts.js';
import type { TestEnv } from '../support/test-env.js';

/** The last line of each text; it has to be shown. */
const END = 'The heron is here.';
const EVIL = 'http://evil.example';
const RLO = '\u202e';

const paragraphs = (lines: readonly string[]): string => lines.join('\n\n');
const times = (count: number, line: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => line(n));

/** Documents in Markdown that would run something, load something, lie, or stop the page. */
const ATTACKS: Readonly<Record<string, string>> = {
  html: paragraphs([
    ...SCRIPTS,
    `<style>@import url(${EVIL}/style.css)</style>`,
    `<div>\n\n${SCRIPTS[0]}\n\n</div>`,
  ]),
  links: paragraphs(
    [
      ...['javascript:alert(1)', 'JaVaScRiPt:alert(1)', '&#106;avascript:alert(1)', 'java\tscript:alert(1)'],
      ...['data:text/html,<script>alert(1)</script>', 'vbscript:alert(1)', 'file:///etc/passwd'],
      ...[
        '//evil.example/x',
        '/api/v1/status',
        'ftp://evil.example/x',
        'mailto:a@evil.example',
        '\\\\evil.example\\x',
      ],
    ].flatMap((to, n) => [
      `[a ${n}](${to})`,
      `[b ${n}](<${to}> "t")`,
      `<${to}>`,
      to,
      `[c ${n}][r${n}]\n\n[r${n}]: ${to}`,
    ]),
  ),
  images: paragraphs([
    `![a](${EVIL}/a.png) [![b](${EVIL}/b.png)](${EVIL}/c)`,
    `![c][r]\n\n[r]: ${EVIL}/d.png`,
    '![d](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+) ![](/icon.svg)',
    `<img src="${EVIL}/e.png"> <picture><source srcset="${EVIL}/f.png"></picture> ![g](${EVIL}/g.png "t")`,
  ]),
  'many rows': `|a|b|\n|-|-|\n${times(20_000, (n) => `|${n}|b|`).join('\n')}`,
  'many columns': `|${'a|'.repeat(5_000)}\n|${'-|'.repeat(5_000)}\n|${'b|'.repeat(5_000)}`,
  quotes: `${'>'.repeat(1_000)} deep`,
  lists: times(1_000, (n) => `${'  '.repeat(n)}- item`).join('\n'),
  'list in quotes': times(300, (n) => `${'> - '.repeat(n)}item`).join('\n'),
  brackets: paragraphs([
    '['.repeat(15_000),
    '![['.repeat(5_000),
    '[a]('.repeat(3_000),
    `${'['.repeat(3_000)}x${']'.repeat(3_000)}`,
  ]),
  emphasis: paragraphs([
    '*a **a '.repeat(2_000),
    '_'.repeat(15_000),
    times(150, (n) => '`'.repeat(n)).join(' '),
    '<'.repeat(15_000),
  ]),
  addresses: paragraphs([`${EVIL}/`.repeat(900), 'http://'.repeat(2_000), 'a@b.c '.repeat(2_000)]),
  'many heavy headings': times(24, () => `# ${'[![*_'.repeat(3_100)}`).join('\n'),
  'many heavy paragraphs': paragraphs(times(24, () => '*a*'.repeat(5_000))),
  'long line': 'word '.repeat(60_000),
  bidi: paragraphs([
    `${RLO}txt.exe`,
    `[${RLO}moc.elgoog](${EVIL}/${RLO}x)`,
    `\`${RLO}code\``,
    '\u2066\u2067'.repeat(2_000),
    `# ${RLO}head`,
  ]),
  '5 MB': times(100_000, (n) => `**line ${n}** of [a long](${EVIL}/${n}) text\n`).join('\n'),
};

async function fill(env: TestEnv): Promise<void> {
  const palace = Palace.write(env.palace, modelById('use-lite'));
  const run = { command: 'test', scope: '', narrowed: false, versions: {}, startedMs: 1 };
  const id = palace.runs.begin(run);
  for (const [name, text] of Object.entries(ATTACKS)) {
    const texts = `${text}\n\n${END}\n`.match(/[\s\S]{1,50000}/g) ?? [];
    const builder = new PieceBuilder();
    await builder.add(texts.join(''));
    const filing = { ...filingOf(`doc:p/${name}.md`, texts), pieces: await builder.finish() };
    palace.file(filing, { id, now: '2026-01-02T03:04:05.000Z' });
  }
  palace.close();
}

const machine = builtOnce(fill);

/** What a text must not become, and links that lead elsewhere than they may or tell where they come from. */
const STRANGE = `[...document.querySelectorAll('main :is(script, iframe, object, embed, img, picture, svg, video, audio, base, style, link, meta, form[action], a)')]
  .filter((element) => element.tagName !== 'A' || !(element.getAttribute('href').startsWith('/?')
    || (/^https?:\\/\\//i.test(element.getAttribute('href')) && element.target === '_blank' && element.rel === 'noopener noreferrer')))
  .map((element) => element.outerHTML.slice(0, 200))`;

afterAll(closeBrowser);

describe.skipIf(NO_CHROMIUM !== undefined)(
  `Markdown that attacks, in Chromium (${NO_CHROMIUM ?? 'is there'})`,
  () => {
    it('runs nothing, loads nothing, and is shown to its end without stopping the page', async () => {
      const { env } = await machine();
      const { page, view, troubles } = await openPage(withBroker(env));
      await page.exposeFunction('alert', (text: unknown) => troubles.push(`ran: ${text}`));
      for (const [name, text] of Object.entries(ATTACKS)) {
        await view(`view=source&name=${encodeURIComponent(`doc:p/${name}.md`)}`);
        await page.locator('.document [role=article]').first().waitFor();
        const strange = await page.evaluate(STRANGE);
        const last = text.split('\n').length + 2;
        await view(`view=source&name=${encodeURIComponent(`doc:p/${name}.md`)}&line=${last}`);
        await page.locator('.target').filter({ hasText: END }).waitFor();
        expect([name, strange, await page.evaluate(STRANGE), troubles]).toEqual([name, [], [], []]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      }
      await view('view=source&name=doc:p/images.md');
      expect(await page.locator('.image').first().textContent()).toBe(`a ${EVIL}/a.png`);
      expect(await seriousTo(page)).toEqual([]);
      await view(`view=source&name=${encodeURIComponent('doc:p/5 MB.md')}`);
      await page.getByText('it is too long to be rendered').waitFor();
    }, 240_000);
  },
);
