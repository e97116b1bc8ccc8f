import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { atTerminal } from '../support/at-terminal.js';
import { filledMachine } from '../support/real-palace.js';

const machine = filledMachine();

const BAR = /[▁-█]/;
const COLUMNS = 120;

describe('bars', () => {
  it.each([
    [['status'], /^[▁-█].* {2}the last (week|\d+ weeks)$/m],
    [['list', 'days'], /^2026-03-04 {2}[▁-█] {2}/m],
    [['list', 'runs'], /UTC {2}[▁-█] {2}mempalace-session/],
    [['search', 'cookie', '--details'], /words [▁-█] \d\.\d\d {2}semantic [▁-█] \d\.\d\d/],
    [['search', 'cookie', '--explain'], /words [▁-█] \d\.\d\d {2}semantic [▁-█] \d\.\d\d/],
  ])('are drawn by mempalace %s at a terminal with colours, and nowhere else', async (args, drawn) => {
    const { env } = await machine();
    const { exitCode, printed } = await atTerminal(env, args, COLUMNS);
    expect([exitCode, stripVTControlCharacters(printed)]).toEqual([0, expect.stringMatching(drawn)]);
    for (const option of ['--no-color', '--json']) {
      const without = await atTerminal(env, [...args, option], COLUMNS);
      expect(without).toEqual({ exitCode: 0, printed: expect.not.stringMatching(BAR) });
    }
    const piped = await env.run('mempalace', args);
    expect([piped.exitCode, piped.stdout]).toEqual([0, expect.not.stringMatching(BAR)]);
  });
});
