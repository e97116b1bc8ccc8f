import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timesOf } from '../../../src/search/time/question.js';
import { timeScore } from '../../../src/search/time/score.js';

/** A Wednesday, local time. */
const NOW = new Date(2023, 10, 22, 15).getTime();

/** Times as `from..to`; `*` where every year matches, and an open end is empty. */
function times(question: string, now = NOW): string {
  return timesOf(question, now)
    .map(({ from, to, everyYear }) => `${from}..${to}${everyYear === true ? '*' : ''}`)
    .join(' ')
    .replaceAll('0000-01-01', '')
    .replaceAll('9999-12-31', '');
}

describe('times of a question', () => {
  it.each([
    ['what happened on 2023-05-03?', '2023-05-03..2023-05-03'],
    ['what did we do on October 13, 2023', '2023-10-13..2023-10-13'],
    ['8 May, 2023', '2023-05-08..2023-05-08'],
    ['on the 2nd of May 2023', '2023-05-02..2023-05-02'],
    ['the release of may 2023', '2023-05-01..2023-05-31'],
    ['logs of 2023-05', '2023-05-01..2023-05-31'],
    ['on 3.5.2023', '2023-05-03..2023-05-03'],
    ['on 3/4/2023', '2023-04-03..2023-04-03 2023-03-04..2023-03-04'],
    ['on 13/4/2023', '2023-04-13..2023-04-13'],
    ['in 2021 and 2022', '2021-01-01..2021-12-31 2022-01-01..2022-12-31'],
    ['in early 2022', '2022-01-01..2022-12-31'],
  ])('with a year: %s', (question, expected) => {
    expect(times(question)).toBe(expected);
  });

  it.each([
    ['what did we decide in March', '2023-03-01..2023-03-31*'],
    ['in december', '2022-12-01..2022-12-31*'],
    ['the August release', '2023-08-01..2023-08-31*'],
    ['on 3 May', '2023-05-03..2023-05-03*'],
    ['on December 24th', '2022-12-24..2022-12-24*'],
    ['on 29 February', '2020-02-29..2020-02-29*'],
    ['before the upgrade on the 3rd', '..2023-11-03'],
    ['on the 31st', '2023-10-31..2023-10-31'],
  ])('without a year, the last: %s', (question, expected) => {
    expect(times(question)).toBe(expected);
  });

  it.each([
    ['what did we do yesterday', '2023-11-21..2023-11-21'],
    ['today', '2023-11-22..2023-11-22'],
    ['the day before yesterday', '2023-11-20..2023-11-20'],
    ['last week', '2023-11-13..2023-11-19'],
    ['earlier this week', '2023-11-20..2023-11-26'],
    ['last weekend', '2023-11-18..2023-11-19'],
    ['two weeks ago', '2023-11-06..2023-11-12'],
    ['last month', '2023-10-01..2023-10-31'],
    ['last year', '2022-01-01..2022-12-31'],
    ['4 years ago', '2019-01-01..2019-12-31'],
    ['in the last 3 days', '2023-11-19..2023-11-22'],
    ['on Friday', '2023-11-17..2023-11-17'],
    ['last Tuesday', '2023-11-21..2023-11-21'],
    ['the week before August 3, 2023', '2023-07-24..2023-07-30'],
    ['the last weekend before April 10, 2023', '..2023-04-10'],
  ])('relative: %s', (question, expected) => {
    expect(times(question)).toBe(expected);
  });

  it.each([
    ['since Monday', '2023-11-20..'],
    ['what changed since 2022', '2022-01-01..'],
    ['until March', '..2023-03-31'],
    ['before 2020', '..2020-12-31'],
    ['from March to May 2023', '2023-03-01..2023-05-31'],
    ['between 3 May and 5 May', '2023-05-03..2023-05-05*'],
    ['from November to February', '2022-11-01..2023-02-28*'],
    ['in March and in May', '2023-03-01..2023-03-31* 2023-05-01..2023-05-31*'],
  ])('ranges: %s', (question, expected) => {
    expect(times(question)).toBe(expected);
  });

  it.each([
    'may I march through the list',
    'this may fail, and it may break',
    'how may 3 users share a lock',
    'march 5 steps',
    'wait a second',
    'the Sun, where it sat, now',
    'Node 20, v20, version 1.2.4, v1.2.2024, release-1.2.2024, 1.2 and 10.20.2024.1',
    'error 1984, port 2024, the 2024-edition',
    'in 2048 bits',
    'last, the last commit, last minute changes',
    'at 5 pm, by 10:30',
    'the 3rd attempt, on the 3rd attempt',
    'the day before the release',
    'days, weeks and months',
    'every day of the week',
    'tomorrow, next week, in 2031',
    'dec, mar, oct and sep are abbreviations',
    '2023-02-30',
  ])('are not: %s', (question) => {
    expect(times(question)).toBe('');
  });

  it('are read from any text without an error', () => {
    const word = fc.constantFrom(
      ...'last this week May march 3rd 31 2023 2023-05-03 ago two before since on the of Friday 0 and to 99/99/2023 , -'.split(
        ' ',
      ),
    );
    const question = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
    );
    const now = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
    fc.assert(
      fc.property(question, now, fc.string(), fc.string(), (text, at, day, other) => {
        const found = timesOf(text, at);
        for (const { from, to } of found) expect(from <= to).toBe(true);
        for (const score of [
          timeScore(found, { day, text: other }),
          timeScore(found, { day: '2023-05-03', text }),
        ]) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
      { examples: [['last week to 2023', 1_736_739_000_000, '', '']] },
    );
  });
});

describe('the score of a time', () => {
  const score = (question: string, day: string, text = '') =>
    Number(timeScore(timesOf(question, NOW), { day, text }).toFixed(3));

  it('is 1 inside, and less with every day outside', () => {
    expect(score('in May 2023', '2023-05-31')).toBe(1);
    expect(score('since Monday', '2023-11-22')).toBe(1);
    expect(score('on 3 May 2023', '2023-05-03')).toBe(1);
    const days = ['2023-05-04', '2023-05-10', '2023-06-03', '2024-05-03'].map((day) =>
      score('on 3 May 2023', day),
    );
    expect(days).toEqual([...days].sort((a, b) => b - a));
    expect(days[1]).toBe(0.5);
    expect(days[3]).toBeLessThan(0.05);
    expect(score('on 3 May 2023', 'unknown')).toBe(0);
    expect(score('no time', '2023-05-03')).toBe(0);
  });

  it('prefers the last of the years when the question names none', () => {
    expect(score('in March', '2023-03-09')).toBe(1);
    expect(score('in March', '2019-03-09')).toBe(0.7);
    expect(score('between 24 December and 6 January', '2020-01-02')).toBe(0.7);
    expect(score('in March 2023', '2019-03-09')).toBeLessThan(0.05);
  });

  it('counts dates in the text', () => {
    for (const text of ['on 2023-05-03 we', 'on May 3rd, 2023', 'the 3rd of May 2023'])
      expect(score('on 3 May 2023', '2022-01-01', text)).toBe(0.7);
    expect(score('in May 2023', '2022-01-01', 'on 3 May 2023')).toBe(0.7);
    expect(score('on 3 May 2023', '2023-09-01', 'on 3 May')).toBe(0.7);
    expect(score('on 3 May 2023', '2022-01-01', 'in May 2023')).toBeLessThan(0.1);
    expect(score('in March', '2022-01-01', 'on 2 March 2019')).toBe(0.7);
  });
});
