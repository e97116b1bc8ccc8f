import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { homeOfLogs, LOG_HARNESSES, rewriteLines } from '../../support/harness-fixtures.js';
import { temporaryFolder } from '../../support/palace.js';
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

const GEMINI = fileURLToPath(
  new URL('../../fixtures/transcripts/gemini-cli/0.17.1/compression', import.meta.url),
);
const AT = '2026-02-10T12:00:00.000Z';
const TWICE = 'each record twice on its line';
/** Their records have numbers as times, and an answer may be written in pieces that are the same. */
const IN_PIECES = ['kimi', 'kimi-code'];

const HARMLESS: Record<string, (lines: string[]) => string> = {
  'NUL bytes around its records': (lines) =>
    `${lines.map((line, at) => (at % 3 === 0 ? `\0\0${line}\0` : line)).join(`\n${'\0'.repeat(64)}\n`)}\n${'\0'.repeat(4096)}`,
  'two and three records on a line': (lines) =>
    lines.map((line, at) => line + (at % 4 === 3 ? '\n' : ['', ' ', '\uFEFF'][at % 3])).join(''),
  'a record that was cut off, and is repeated whole on the same line': (lines) =>
    lines.map((line) => `${cutOff(line)}${line}\n`).join(''),
  'a record that was cut off, and is repeated whole on the next line': (lines) =>
    lines.map((line) => `${cutOff(line)}\n${line}\n`).join(''),
  [TWICE]: (lines) => lines.map((line) => `${line}${line}\n`).join(''),
  'line breaks within its strings': (lines) =>
    lines.map((line) => `${line.replaceAll(/(?<!\\)\\n/g, '\n')}\n`).join(''),
};

describe.each(LOG_HARNESSES)('a transcript of %s', (harness) => {
  const changed = (change: (lines: string[]) => string) => {
    const { home, files } = homeOfLogs(harness);
    for (const file of files) rewriteLines(file, change);
    return filed(home);
  };
  let read: ReturnType<typeof filed> | undefined;
  const sound = () => {
    read ??= filed(homeOfLogs(harness).home);
    return read;
  };

  it.each(Object.keys(HARMLESS))('with %s loses nothing', async (damage) => {
    if (damage === TWICE && IN_PIECES.includes(harness)) return;
    expect(Object.keys((await sound()).texts)).not.toEqual([]);
    expect(await changed(HARMLESS[damage] ?? (() => ''))).toEqual(await sound());
  });

  it('loses only the record that was cut off, and names its line', async () => {
    const fifth = (replace: (line: string) => string) =>
      changed((lines) => lines.map((line, at) => (at === 4 ? replace(line) : `${line}\n`)).join(''));
    expect((await fifth(() => '')).problems).toEqual([]);
    const { problems } = await fifth(cutOff);
    expect(new Set(problems)).toEqual(new Set(['line 5: not JSON (a line that was cut off?)']));
  });
});

describe('a session of Gemini CLI that is one JSON value', () => {
  it('may have NUL bytes around it', async () => {
    const before = await filed(GEMINI);
    const home = temporaryFolder();
    cpSync(GEMINI, home, { recursive: true });
    const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => name.endsWith('.json')).map((name) => join(home, name));
    for (const file of files) writeFileSync(file, `\0\0${readFileSync(file, 'utf8')}\n${'\0'.repeat(4096)}`);
    expect(files).not.toEqual([]);
    const after = await filed(home);
    expect(after).toEqual(before);
    expect(Object.keys(before.texts)).not.toEqual([]);
  });

  it('that was cut off has the messages that are whole, and is named', async () => {
    const home = temporaryFolder();
    const file = join(home, 'session-2026-11-22T21-06-b1230b51.json');
    const message = (id: string, type: string, content: string) => ({ id, timestamp: AT, type, content });
    const messages = [
      message('m1', 'user', 'Q-ONE'),
      message('m2', 'gemini', 'A-TWO } ]'),
      message('m3', 'user', 'Q-THREE'),
    ];
    const text = JSON.stringify(
      { sessionId: 'b1230b51', projectHash: 'a0', startTime: AT, messages },
      null,
      2,
    );
    writeFileSync(file, text.slice(0, text.indexOf('THREE')));
    const { conversations } = await readFolder(home);
    const [session] = [...conversations.values()];
    expect(session?.text).toMatch(/Q-ONE[\s\S]*A-TWO \} \]/);
    expect(session?.problems).toEqual([expect.stringMatching(/^not JSON \(cut off\?\)/)]);
  });
});
