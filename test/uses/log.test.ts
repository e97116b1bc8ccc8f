import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { countUses, pruneUses, readUses, USES_FILE } from '../../src/uses/log.js';
import { it } from '../support/it.js';
import { temporaryFolder } from '../support/palace.js';

const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 0, 1);

const known = (folder: string) =>
  Object.fromEntries(
    [...readUses(folder).drawers].map(([id, { found, opened, days }]) => [
      id,
      [found, opened, [...days].sort()],
    ]),
  );

describe('uses', () => {
  it('are counted per drawer and day, by ids and counts alone', ({ folder }) => {
    expect(readUses(folder)).toEqual({ since: undefined, drawers: new Map() });
    countUses(folder, 'found', [], FIRST);
    countUses(folder, 'found', ['drawer_a', 'drawer_b'], FIRST + DAY);
    countUses(folder, 'found', ['drawer_a'], FIRST);
    countUses(folder, 'opened', ['drawer_a'], FIRST + DAY);
    expect(readUses(folder).since).toBe('2026-01-01');
    expect(known(folder)).toEqual({
      drawer_a: [2, 1, ['2026-01-01', '2026-01-02']],
      drawer_b: [1, 0, ['2026-01-02']],
    });
    expect(statSync(join(folder, USES_FILE)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, USES_FILE), 'utf8').split('\n')[0]).toBe(
      '{"day":"2026-01-02","use":"found","drawers":{"drawer_a":1,"drawer_b":1}}',
    );
  });

  it('of lines that are torn or not ours are left out', ({ folder }) => {
    countUses(folder, 'found', ['drawer_a'], FIRST);
    appendFileSync(join(folder, USES_FILE), '{"day":"2026-01-02","use":"found","dra\n');
    appendFileSync(join(folder, USES_FILE), '[]\n7\n{"day":"x","use":"found","drawers":{"b":1}}\n');
    appendFileSync(
      join(folder, USES_FILE),
      '{"day":"2026-01-02","use":"found","drawers":{"c":-1,"d":"e"}}\n',
    );
    expect(Object.keys(known(folder))).toEqual(['drawer_a']);
  });

  it('are never an error', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => countUses(file, 'found', ['drawer_a'], FIRST)).not.toThrow();
  });

  it('stay below a megabyte, and the newest are kept', ({ folder }) => {
    const ids = (day: number) =>
      Array.from({ length: 900 }, (_, n) => `drawer_${String(day * 900 + n).padStart(24, '0')}`);
    for (let day = 0; day < 40; day += 1) {
      countUses(folder, 'found', ids(day), FIRST + day * DAY);
      expect(statSync(join(folder, USES_FILE)).size).toBeLessThanOrEqual(1024 * 1024);
    }
    const { since, drawers } = readUses(folder);
    expect(since).not.toBe('2026-01-01');
    expect(ids(39).every((id) => drawers.get(id)?.found === 1)).toBe(true);
    const many = Array.from({ length: 40_000 }, (_, n) => `drawer_${String(n).padStart(24, '0')}`);
    countUses(folder, 'found', many, FIRST + 50 * DAY);
    expect(statSync(join(folder, USES_FILE)).size).toBeLessThanOrEqual(1024 * 1024);
    expect(readUses(folder).drawers.size).toBeGreaterThan(1_000);
  });

  it('of drawers that are gone are removed', ({ folder }) => {
    pruneUses(folder, () => new Set());
    countUses(folder, 'found', ['drawer_a', 'drawer_b'], FIRST);
    countUses(folder, 'opened', ['drawer_b'], FIRST);
    pruneUses(folder, (ids) => new Set(ids.filter((id) => id !== 'drawer_b')));
    expect(readFileSync(join(folder, USES_FILE), 'utf8')).toBe(
      '{"day":"2026-01-01","use":"found","drawers":{"drawer_a":1}}\n',
    );
  });

  it('leave nothing of a drawer that is gone in a torn line, or in a copy of a killed program', ({
    folder,
  }) => {
    const file = join(folder, USES_FILE);
    countUses(folder, 'found', ['drawer_a'], FIRST);
    appendFileSync(file, '{"day":"2026-01-02","use":"found","drawers":{"drawer_b":1}{"day"\n{"drawer_b');
    writeFileSync(`${file}.1-a.tmp`, '{"drawer_b":1}');
    pruneUses(folder, () => new Set(['drawer_a']));
    expect(readdirSync(folder)).toEqual([USES_FILE]);
    expect(readFileSync(file, 'utf8')).toBe('{"day":"2026-01-01","use":"found","drawers":{"drawer_a":1}}\n');
  });
});
