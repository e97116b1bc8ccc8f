import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve, sep } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { MANIFEST_NAME } from '../../src/core/contract.js';
import { validateWing } from '../../src/core/wing.js';
import { defaultWing } from '../../src/feeders/docs/wing-and-room.js';
import { roomOf, transcriptName } from '../../src/feeders/staging/slug.js';
import { openStaging } from '../../src/feeders/staging/staging.js';
import { stagedBatches } from '../../src/miner/staged.js';
import { isInside, readManifest } from '../../src/platform/manifest-file.js';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { removeFolder } from '../support/cleanups.js';

let folder = '';
const fresh = (): string => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mempalace-paths-')));
  return folder;
};
afterEach(() => {
  if (folder !== '') removeFolder(folder);
});

/** Typical names of an attack, and any others. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '/',
        '\\',
        '~',
        '\0',
        'a',
        'C:',
        '%2e%2e',
        '\u2024\u2024',
        '\uff0f',
        ' ',
        '\n',
        'con',
        '-',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

const below = (root: string, path: string): boolean => resolve(path).startsWith(root + sep);

describe('paths from data stay in their folder', () => {
  it('names of transcripts: slugs, titles and ids of sessions', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (slug, title, id) => {
        const name = transcriptName(slug, title, id);
        expect(basename(name)).toBe(name);
        expect(name).toMatch(/^[A-Za-z0-9_-]+\.jsonl$/);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120);
      }),
      { numRuns: 1_000 },
    );
  });

  it('rooms of sessions and wings, which are folders of the cache', () => {
    fc.assert(
      fc.property(hostile, (name) => {
        expect(['.', '..', '']).not.toContain(roomOf(name));
        expect(roomOf(name)).not.toMatch(/[/\\\0]/);
        for (const wing of [defaultWing(name), accepted(name)])
          if (wing !== undefined) expect(below('/cache', join('/cache', wing))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('paths of a manifest', () => {
    fc.assert(
      fc.property(hostile, (path) => {
        if (isInside(path)) expect(below('/cache/wing', join('/cache/wing', path))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('a manifest for mempalace mine', async () => {
    const root = fresh();
    const wing = join(root, 'mempalace-session', 'wing');
    mkdirSync(wing, { recursive: true, mode: 0o700 });
    writeFileSync(join(wing, '../outside.md'), '# Outside', { mode: 0o600 });
    writeFileSync(join(wing, 'inside.md'), '# Inside!', { mode: 0o600 });
    const source = (path: string) => ({
      path,
      sourceKey: 'doc:p/x.md',
      sourceFile: 'mempalace-docs/wing/p/x.md',
      origin: '/p/x.md',
      kind: 'document',
      wing: 'wing',
      room: 'general',
      mtimeMs: 1,
      bytes: 9,
      hash: '',
      madeBy: 'sanitiser 1',
      fingerprint: '',
    });
    const believed = {
      cache: root,
      named: false,
      allowRemovals: false,
      sanitiser: () => createSanitiser({ redact: true }),
    };
    const tried = fc.oneof(
      hostile,
      fc.constantFrom('../outside.md', `${wing}/../outside.md`, 'a/../../outside.md', 'inside.md'),
    );
    await fc.assert(
      fc.asyncProperty(tried, async (path) => {
        writeFileSync(
          join(wing, MANIFEST_NAME),
          JSON.stringify({ version: 1, sources: [source(path)], skipped: [] }),
          { mode: 0o600 },
        );
        for (const { sources } of await stagedBatches(wing, believed))
          for (const staged of sources) expect(below(wing, staged.path)).toBe(true);
        for (const { path: read } of readManifest(wing)?.sources ?? []) expect(isInside(read)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('files written into a staging folder', async () => {
    const root = fresh();
    const staging = await openStaging({
      cache: root,
      prefix: 'mempalace-docs/wing/p',
      command: 'test',
      waitMs: 0,
    });
    try {
      await fc.assert(
        fc.asyncProperty(hostile, async (path) => {
          const written = await staging.write(path, 'x', 1_000).catch(() => undefined);
          if (written !== undefined) expect(below(staging.folder, written.path)).toBe(true);
        }),
        { numRuns: 100 },
      );
    } finally {
      staging.close();
    }
  });
});

function accepted(name: string): string | undefined {
  try {
    return validateWing(name);
  } catch {
    return undefined;
  }
}
