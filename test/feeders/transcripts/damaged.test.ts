import { describe, expect, it } from 'vitest';
import { homeOfLogs, LOG_HARNESSES, rewriteLines } from '../../support/harness-fixtures.js';
import { readFolder } from '../../support/staged-transcripts.js';

/** The filed text of each session, and what was unreadable. */
async function filed(home: string) {
  const { conversations, skipped } = await readFolder(home);
  // The name of a session without an id depends on the folder.
  const all = [...conversations].filter(([key]) => !/:[0-9a-f]{24}$/.test(key));
  const problems = [...conversations.values()].flatMap((each) => each.problems);
  return {
    texts: Object.fromEntries(all.map(([key, { text }]) => [key, text.replaceAll(/^\s+$/gm, '')])),
    problems: [...problems, ...skipped.filter(({ problem }) => problem).map(({ reason }) => reason)],
  };
}

/** Cuts a character of several bytes, or an escape, if there is one. */
const cutOff = (line: string) =>
  line.slice(0, Math.max(line.indexOf('\\n') + 1, Math.floor(line.length / 2)));

const HARMLESS: Record<string, (lines: string[]) => string> = {
  'NUL bytes around its records': (lines) =>
    `${lines.map((line, at) => (at % 3 === 0 ? `\0\0${line}\0` : line)).join(`\n${'\0'.repeat(64)}\n`)}\n${'\0'.repeat(4096)}`,
  'two and three records on a line': (lines) =>
    lines.map((line, at) => line + (at % 4 === 3 ? '\n' : ['', ' ', '\uFEFF'][at % 3])).join(''),
  'a record that was cut off, and is repeated whole on the same line': (lines) =>
    lines.map((line) => `${cutOff(line)}${line}\n`).join(''),
  'a record that was cut off, and is repeated whole on the next line': (lines) =>
    lines.map((line) => `${cutOff(line)}\n${line}\n`).join(''),
  'line breaks within its strings': (lines) =>
    lines.map((line) => `${line.replaceAll(/(?<!\\)\\n/g, '\n')}\n`).join(''),
};

describe.each(LOG_HARNESSES)('a transcript of %s', (harness) => {
  it.each(Object.keys(HARMLESS))('with %s loses nothing', async (damage) => {
    const sound = await filed(homeOfLogs(harness).home);
    const { home, files } = homeOfLogs(harness);
    for (const file of files) rewriteLines(file, HARMLESS[damage] ?? (() => ''));
    const damaged = await filed(home);
    expect(Object.keys(sound.texts)).not.toEqual([]);
    expect(damaged).toEqual(sound);
  });

  it('loses only the record that was cut off, and names its line', async () => {
    const { home, files } = homeOfLogs(harness);
    for (const file of files)
      rewriteLines(file, (lines) =>
        lines.map((line, at) => (at === 4 ? cutOff(line) : `${line}\n`)).join(''),
      );
    const { problems } = await filed(home);
    const { problems: gone } = await filed(
      (() => {
        const other = homeOfLogs(harness);
        for (const file of other.files)
          rewriteLines(file, (lines) => lines.map((line, at) => (at === 4 ? '' : `${line}\n`)).join(''));
        return other.home;
      })(),
    );
    expect(gone).toEqual([]);
    expect(new Set(problems)).toEqual(new Set(['line 5: not JSON (a line that was cut off?)']));
  });
});
