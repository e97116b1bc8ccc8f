import { sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateWing } from '../../../src/core/wing.js';
import { defaultWing, GENERAL_ROOM, roomOf } from '../../../src/feeders/docs/wing-and-room.js';

describe('wings', () => {
  it.each([
    ['My Project', 'wing_my_project'],
    ['mempalace-toolkit', 'wing_mempalace_toolkit'],
    ['a.b.c', 'wing_a_b_c'],
    ['ÜBER_größe2', 'wing_über_größe2'],
    ['e\u0301tude', 'wing_étude'],
    ['🙂', 'wing__'],
    ['', 'wing_'],
  ])('for the directory %j', (directory, wing) => {
    expect(defaultWing(directory)).toBe(wing);
  });

  it('for any directory are valid, stable, and one safe path segment', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string()), (name) => {
        const wing = defaultWing(name);
        expect(validateWing(wing)).toBe(wing);
        expect(wing).toMatch(/^wing_[\p{L}\p{N}_]*$/u);
        expect(wing.includes(sep)).toBe(false);
        expect(Buffer.byteLength(wing)).toBeLessThanOrEqual(200);
        expect(defaultWing(name.normalize('NFD'))).toBe(wing);
      }),
    );
  });

  it('contain only letters, digits and a few other characters', () => {
    for (const name of ['wing_a', 'Team notes', "o'brien", 'a.b-c', '_x', '日本', 'e\u0301tude']) {
      expect(validateWing(name)).toBe(name.normalize('NFC'));
    }
    for (const name of [
      '',
      '.',
      '..',
      'a..b',
      '.lock',
      'a/b',
      'a\\b',
      '-x',
      ' x',
      'a\nb',
      'x'.repeat(129),
      '字'.repeat(100),
    ]) {
      expect(() => validateWing(name), name).toThrow(expect.objectContaining({ code: 'usage' }));
    }
  });

  it('that are accepted never contain a path', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', ' ', '_', '\0', '~', '-') }),
        (name) => {
          let wing: string;
          try {
            wing = validateWing(name);
          } catch {
            return;
          }
          expect(wing).not.toMatch(/[/\\\0]|\.\.|^\./);
        },
      ),
    );
  });
});

describe('rooms', () => {
  const rooms = [
    { name: 'guides', keywords: ['docs', 'manual'] },
    { name: 'Backend', keywords: ['server', 'api'] },
    { name: 'decisions', keywords: ['adr'] },
  ];

  it.each([
    ['docs/a.md', 'guides'],
    ['Server/docs/a.md', 'Backend'],
    ['src/API/x.md', 'Backend'],
    ['other/adr.md', 'decisions'],
    ['other/ADR.v2.md', 'other'],
    ['adr', 'decisions'],
    ['docs/adr.md', 'guides'],
    ['mydocs/a.md', 'mydocs'],
    ['README.md', GENERAL_ROOM],
    ['.github/workflows/ci.yml', '.github'],
    ['.adr', GENERAL_ROOM],
  ])('%s → %s', (path, room) => {
    expect(roomOf(path, rooms)).toBe(room);
  });

  it('without configuration are the first folder or general, without control characters', () => {
    const segment = fc
      .string({ minLength: 1, maxLength: 12 })
      .map((each) => each.replaceAll('/', '_'))
      .filter((each) => each !== '.' && each !== '..');
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
        const room = roomOf(segments.join('/'));
        expect(room).not.toBe('');
        expect(room).not.toMatch(/\p{Cc}/u);
        if (segments.length === 1) expect(room).toBe(GENERAL_ROOM);
      }),
    );
    expect(roomOf('a\u001b[31mb\n/x.md')).toBe('a[31mb');
    expect(roomOf('\u0007/x.md')).toBe(GENERAL_ROOM);
  });
});

describe('a room by folder', () => {
  const rooms = [
    { name: 'chambers', keywords: ['agents'], byFolder: true },
    { name: 'archive', keywords: [] },
  ];
  it.each([
    ['chambers/01_agent/notes.md', '01_agent'],
    ['chambers/01_agent/deep/notes.md', '01_agent'],
    ['docs/Agents/02_agent/notes.md', '02_agent'],
    ['chambers/README.md', 'chambers'],
    ['chambers.md', 'chambers'],
    ['archive/chambers/01_agent/notes.md', 'archive'],
  ])('%s is in %s', (path, room) => {
    expect(roomOf(path, rooms)).toBe(room);
  });
});
