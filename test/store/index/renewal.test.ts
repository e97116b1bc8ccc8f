import { expect, it } from 'vitest';
import { renewWords } from '../../../src/miner/renew-words.js';
import { Database } from '../../../src/platform/sqlite.js';
import { Sql } from '../../../src/store/db/sql.js';
import { Palace, palaceFile } from '../../../src/store/index.js';
import { fileTexts, TINY_MODEL, temporaryPalace } from '../../support/palace.js';
import { problemsIn } from '../../support/soundness.js';

const TEXTS = Array.from({ length: 120 }, (_, i) => `Ёлка ${i}, HttpRetryPolicy, v3.11.${i}`);

/** A palace whose drawers have the words of an earlier version. */
function earlier(): Palace {
  const palace = temporaryPalace();
  fileTexts(palace, 'a.md', TEXTS, { title: 'retryPolicy.ts' });
  palace.collections.put({
    name: 'money',
    question: 'money -draft -"a b"',
    filter: '{}',
    most: 10,
    minScore: 0,
    madeAt: '2026-01-01T00:00:00.000Z',
  });
  const sql = new Sql(new Database(palaceFile(palace.folder)));
  sql.exec("UPDATE drawers SET bigrams = '', dates = ''; DELETE FROM meta WHERE key = 'words'");
  sql.close();
  return palace;
}

const found = (palace: Palace, word: string) => palace.lexical.candidates({ words: [word] }, 1_000).length;

it('a new palace has nothing to renew', () => {
  const palace = temporaryPalace();
  fileTexts(palace, 'a.md', TEXTS);
  expect([palace.renewal.progress(), palace.renewal.step(0)]).toEqual([undefined, false]);
});

it('drawers of an earlier version are renewed in steps, and found by both meanwhile', () => {
  const palace = earlier();
  expect(palace.renewal.progress()).toEqual({ texts: 120, pending: 120, percent: 0 });
  expect(palace.renewal.step(0)).toBe(true);
  expect(palace.renewal.progress()).toMatchObject({ pending: 70 });
  // As after a kill: another process goes on.
  const other = Palace.write(palace.folder, TINY_MODEL);
  expect([found(other, 'елка'), found(other, 'httpretrypolicy')]).toEqual([50, 120]);
  expect(other.renewal.step(0)).toBe(true);
  expect(other.renewal.step(0)).toBe(false);
  expect(other.renewal.progress()).toBeUndefined();
  expect([found(other, 'елка'), found(other, 'retry'), found(other, 'policy')]).toEqual([120, 120, 120]);
  expect(problemsIn(other)).toEqual([]);
  expect(other.lexical.matchesRows()).toBe(true);
  other.close();
});

it('a stored question still excludes what it excluded', () => {
  const palace = earlier();
  palace.renewal.step(0);
  expect(palace.collections.all()[0]?.question).toBe('money -"draft" -"a b"');
});

it('a run renews them, for a limited time', async () => {
  const palace = earlier();
  let [runs, isLeft] = [0, true];
  for (; isLeft; runs += 1) isLeft = await renewWords({ palace, budgetMs: 0 });
  expect(runs).toBeLessThanOrEqual(3);
  expect(palace.renewal.progress()).toBeUndefined();
});
