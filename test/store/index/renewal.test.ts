import { expect, vi } from 'vitest';
import { renewWords } from '../../../src/miner/renew-words.js';
import { Database } from '../../../src/platform/sqlite.js';
import { Sql } from '../../../src/store/db/sql.js';
import { Palace, palaceFile } from '../../../src/store/index.js';
import { it } from '../../support/it.js';
import { fileTexts, TINY_MODEL, temporaryPalace } from '../../support/palace.js';
import { problemsIn } from '../../support/soundness.js';

const TEXTS = Array.from({ length: 120 }, (_, i) => `Ёлка ${i}, HttpRetryPolicy, v3.11.${i}`);

/** A palace whose drawers have the words of an earlier version. */
function earlier(): Palace {
  const palace = temporaryPalace();
  fileTexts(palace, 'a.md', TEXTS, { title: 'retryPolicy.ts' });
  const sql = new Sql(new Database(palaceFile(palace.folder)));
  sql.exec("UPDATE drawers SET bigrams = '', dates = ''; DELETE FROM meta WHERE key = 'words'");
  sql.close();
  return palace;
}

const found = (palace: Palace, word: string) => palace.lexical.candidates({ words: [word] }, 1_000).length;

it('a new palace has nothing to renew', ({ palace }) => {
  fileTexts(palace, 'a.md', TEXTS);
  expect([palace.renewal.progress(), palace.renewal.step(0)]).toEqual([undefined, false]);
});

it('drawers of an earlier version are renewed in steps, and found by both meanwhile', () => {
  const palace = earlier();
  expect(palace.renewal.progress()).toEqual({ texts: 120, pending: 120, percent: 0 });
  expect(palace.renewal.step(0)).toBe(true);
  expect(palace.renewal.progress()).toMatchObject({ pending: 119 });
  // As after a kill: another process goes on.
  const other = Palace.write(palace.folder, TINY_MODEL);
  expect([found(other, 'елка'), found(other, 'httpretrypolicy')]).toEqual([1, 120]);
  expect(other.renewal.step(0)).toBe(true);
  expect(found(other, 'елка')).toBe(2);
  while (other.renewal.step(60_000));
  expect(other.renewal.progress()).toBeUndefined();
  expect([found(other, 'елка'), found(other, 'retry'), found(other, 'policy')]).toEqual([120, 120, 120]);
  expect(problemsIn(other)).toEqual([]);
  expect(other.lexical.matchesRows()).toBe(true);
  other.close();
});

it('a step ends in time, whatever the number of drawers', () => {
  const palace = earlier();
  atClock(70, () => palace.renewal.step(200));
  expect(palace.renewal.progress()).toMatchObject({ pending: 117 });
});

it('a run renews them, for a limited time', async () => {
  const palace = earlier();
  expect(await atClock(70, () => renewWords({ palace, budgetMs: 200 }))).toBe(true);
  expect(palace.renewal.progress()).toMatchObject({ pending: 117 });
  expect(await renewWords({ palace })).toBe(false);
  expect(palace.renewal.progress()).toBeUndefined();
});

/** Runs it, up to its first wait, with a clock that goes on by this at each look. */
function atClock<Result>(ms: number, work: () => Result): Result {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += ms;
    return now;
  });
  try {
    return work();
  } finally {
    clock.mockRestore();
  }
}
