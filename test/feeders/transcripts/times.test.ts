import { readFileSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { latestTime } from '../../../src/feeders/transcripts/times.js';
import { homeOfLogs, LOG_HARNESSES, rewriteLines } from '../../support/harness-fixtures.js';
import { readFolder } from '../../support/staged-transcripts.js';

const FILE = new Date('2026-02-10T12:00:00Z');
const YEAR = /20\d\d(?=-\d\d-\d\dT)/g;
/** Epoch seconds and milliseconds. */
const EPOCH = /"(?:timestamp|time|created_at)":1[67]\d{8}(?:\d{3})?(?:\.\d+)?(?=[,}])/g;

/** Writes another time into a line, as text or as a number. */
const dated = (line: string, year: number) =>
  line
    .replaceAll(YEAR, String(year))
    .replaceAll(EPOCH, (each) => each.replace(/:1\d/, year > 2030 ? ':40' : ':17'));

async function datesIn(home: string) {
  const { conversations } = await readFolder(home);
  expect(conversations.size).toBeGreaterThan(0);
  return [...conversations.values()].flatMap((each) => each.dates);
}

describe.each(LOG_HARNESSES)('times of %s', (harness) => {
  it('after the change of its file are not believed', async () => {
    const { home, files } = homeOfLogs(harness);
    for (const file of files) {
      rewriteLines(file, (lines) => lines.map((line) => `${dated(line, 2099)}\n`).join(''));
      utimesSync(file, FILE, FILE);
    }
    expect(files.map((file) => readFileSync(file, 'utf8')).join('')).toMatch(/2099-|:40\d{8}/);
    const dates = await datesIn(home);
    expect(new Set(dates)).toEqual(new Set([null]));
  });

  it('of which some are from the future are those of their neighbours', async () => {
    const { home, files } = homeOfLogs(harness);
    for (const file of files) {
      rewriteLines(file, (lines) =>
        lines.map((line, at) => `${dated(line, at < lines.length / 2 ? 2025 : 2099)}\n`).join(''),
      );
      utimesSync(file, FILE, FILE);
    }
    const dates = await datesIn(home);
    for (const date of dates) expect(date ?? '2025').toMatch(/^20(?:2[0-5]|1\d)/);
  });
});

describe('the time of a file', () => {
  it('limits the times in it, unless it is from the future or was made up by an archive', () => {
    const hour = 3_600_000;
    expect(latestTime([{ mtimeMs: FILE.getTime() }]) - FILE.getTime()).toBeLessThan(hour);
    expect(Math.abs(latestTime([{ mtimeMs: Date.UTC(2099, 0) }]) - Date.now())).toBeLessThan(hour);
    expect(Math.abs(latestTime([{ mtimeMs: Date.UTC(1980, 0) }]) - Date.now())).toBeLessThan(hour);
  });
});
