import { describe, expect } from 'vitest';
import { type WrittenText, writtenScope, writtenSource } from '../../src/miner/written.js';
import { createSanitiser } from '../../src/sanitiser/index.js';
import type { Palace } from '../../src/store/index.js';
import { it } from '../support/it.js';
import { mined } from '../support/mining.js';

const NOTE: WrittenText = {
  sourceKey: 'drawer:0123/drawer.md',
  wing: 'wing_a',
  room: 'decisions',
  text: '# Rounding\n\nPrices are rounded up.\n',
  origin: 'mempalace://drawer/0123',
  sourceFile: 'drawer/0123',
  writtenMs: Date.UTC(2026, 0, 2),
};

async function file(palace: Palace, changes: Partial<WrittenText> = {}) {
  const sanitiser = await createSanitiser({ redact: true });
  const written = { ...NOTE, ...changes };
  const source = await writtenSource(written, await writtenScope([written], sanitiser));
  return mined(palace, { sources: [source], skipped: [] });
}

const textOf = (palace: Palace): string =>
  palace.sources.textOf(palace.sources.byKey(NOTE.sourceKey)?.id ?? 0);

describe('a text without a file', () => {
  it('is filed verbatim in drawers that together give it, and embeds nothing the second time', async ({
    palace,
  }) => {
    const text = `# Long\n\n${'A paragraph of words that goes on.\n\n'.repeat(200)}`;
    expect(await file(palace, { text })).toMatchObject({ new: 1, problems: [] });
    expect(textOf(palace)).toBe(text);
    const filed = palace.sources.byKey(NOTE.sourceKey);
    const texts = palace.drawers.textsOf(filed?.id ?? 0);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.join('')).toBe(text);
    expect(filed).toMatchObject({ wing: 'wing_a', room: 'decisions', title: 'Long', kind: 'document' });
    expect(await file(palace, { text })).toMatchObject({ new: 0, changed: 0, unchanged: 1, embedded: 0 });
  });

  it('is sanitised, and so are its metadata', async ({ palace }) => {
    const secret = ['sk', 'ant', 'api03', 'x'.repeat(93), 'AA'].join('-');
    const kept = `PASSWORD=${['hunter', '2', 'xyzzy'].join('')}Q9`;
    const result = await file(palace, { text: `Use ${kept} here.\n`, title: `About ${kept}`, origin: kept });
    expect(Object.values(result.redacted)).toEqual([1]);
    const filed = palace.sources.byKey(NOTE.sourceKey);
    for (const text of [textOf(palace), filed?.title, filed?.origin]) {
      expect(text).toContain('[REDACTED:');
      expect(text).not.toContain(kept);
      expect(text).not.toContain(secret);
    }
  });

  it('contains only characters that a file can contain', async ({ palace }) => {
    await file(palace, { text: 'one\u0000two \ud800 three\n' });
    expect(textOf(palace)).toBe('one\u{fffd}two \u{fffd} three\n');
  });

  it('moves to another room, and changes, under its key', async ({ palace }) => {
    await file(palace);
    expect(await file(palace, { room: 'facts' })).toMatchObject({ moved: 1, embedded: 0 });
    expect(await file(palace, { text: 'Rounded down now.\n', room: 'facts' })).toMatchObject({ changed: 1 });
    expect(textOf(palace)).toBe('Rounded down now.\n');
    expect(palace.rooms()).toMatchObject([{ wing: 'wing_a', room: 'facts', sources: 1 }]);
  });
});
