import { afterAll, describe, expect, it } from 'vitest';
import { withBroker } from '../support/broker.js';
import { closeBrowser, NO_CHROMIUM, openPage, seriousTo } from '../support/chromium.js';
import { filledMachine } from '../support/real-palace.js';

const machine = filledMachine();

/** The line that is looked for is far from the beginning of its passage. */
const noteOf = (n: number): string =>
  `# Note ${n}\n\n${`The barn is red, and the fields are wide, year after year.\n\n`.repeat(40)}The heron of pond ${n} fishes at dawn.\n\n${'The mill turns.\n\n'.repeat(20)}`;

afterAll(closeBrowser);

describe.skipIf(NO_CHROMIUM !== undefined)(`search in Chromium (${NO_CHROMIUM ?? 'is there'})`, () => {
  it('shows five hits on a screen, the selected one beside them at its line, and goes there and back by keys', async () => {
    const { env } = await machine();
    const notes = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`note${n}.md`, noteOf(n)]));
    await env.json('mempalace-docs', [env.project('pond', notes)]);
    const { page, view, troubles } = await openPage(withBroker(env));
    await page.setViewportSize({ width: 1280, height: 800 });
    const shows: string[] = [];
    page.on('request', (request) => request.url().includes('/show?') && shows.push(request.url()));
    await view('view=search&q=heron+fishes+at+dawn');
    const isInView = (selector: string, within = 'html') =>
      page.evaluate<boolean>(`(() => {
        const [own, pane] = ['${selector}', '${within}'].map((each) => document.querySelector(each)?.getBoundingClientRect());
        const [top, bottom] = '${within}' === 'html' ? [0, innerHeight] : [pane.top, pane.bottom];
        return own !== undefined && own.top >= top && own.bottom <= Math.min(innerHeight, bottom);
      })()`);
    await page.locator('.preview .target mark').first().waitFor();
    for (const index of [0, 1, 2, 3, 4])
      await expect.poll(() => isInView(`#hit-${index} .excerpt mark`)).toBe(true);
    await expect.poll(() => isInView('#hit-4')).toBe(true);
    await expect.poll(() => isInView('.preview .target', '.pane')).toBe(true);
    const title = (index: number) => page.locator(`#hit-${index} h2`).textContent();
    const preview = page.locator('.preview > p a');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    await page.locator('#hit-1 h2 a:focus').waitFor();
    await expect.poll(() => preview.textContent()).toBe(await title(1));
    await page.locator('.preview .target').filter({ hasText: 'The heron of pond' }).waitFor();
    expect(await seriousTo(page)).toEqual([]);
    // By a click anywhere in it.
    await page.locator('#hit-3 .excerpt').click();
    await expect.poll(() => preview.textContent()).toBe(await title(3));
    await page.waitForURL(/at=3/);
    expect(shows.filter((url) => !url.includes('preview=true'))).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/view=source/);
    await page.locator('.target mark').first().waitFor();
    await expect.poll(() => isInView('.target')).toBe(true);
    await page.keyboard.press('Escape');
    await page.locator('#hit-3 h2 a:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('search input[type=search]:focus').waitFor();
    // The keys of its menu, and of filters.
    await page.locator('#hit-3 .menu > summary').click();
    await page.locator('#hit-3 .menu select').focus();
    await page.keyboard.press('Escape');
    await page.locator('#hit-3 .menu:not([open]) > summary:focus').waitFor();
    expect(await page.locator('#hit-3 h2 a').getAttribute('aria-current')).toBe('true');
    const adding = page.locator('.adding > summary');
    const isLeft = () => page.locator('.adding:not([open]) > summary:focus').waitFor();
    await adding.click();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await isLeft();
    await adding.click();
    await page.getByRole('button', { name: 'file', exact: true }).click();
    await page.locator('[data-filter=file] input:focus').waitFor();
    await page.keyboard.type('note');
    await page.keyboard.press('Enter');
    await page.waitForURL(/file=note/);
    await page.getByRole('button', { name: 'Remove file' }).click();
    await page.locator('[data-filter=file]').waitFor({ state: 'detached' });
    await isLeft();
    // A hit that is not there any more.
    await view('view=search&q=heron+fishes+at+dawn&file=note1.md&at=7');
    await page.locator('#hit-0 .selected').waitFor();
    await view('view=source&name=note1.md');
    await page.locator('main').focus();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys' }).click();
    await page.keyboard.press('v');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.locator('.rendered').first().waitFor();
    expect(page.url()).toContain('view=source');
    // An input method sends its words at their end.
    await view('view=home');
    await page.evaluate(`(() => {
      const field = document.querySelector('main search input');
      field.value = 'hero';
      field.dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));
      field.value = 'heron';
      field.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
    })()`);
    await page.waitForURL(/view=search&q=heron$/);
    await view('view=search&q=heron+fishes+at+dawn&at=3');
    await page.locator('#hit-3 .selected').waitFor();
    // Where there is no place for a preview.
    await page.setViewportSize({ width: 800, height: 800 });
    await page.locator('.preview').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/view=source/);
    await expect.poll(() => isInView('.target')).toBe(true);
    expect(troubles).toEqual([]);
  });
});
