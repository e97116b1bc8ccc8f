import { describe, expect, it } from 'vitest';
import { cutOutput, markedOutput } from '../../src/core/cut-output.js';
import { fatesOf } from '../../src/miner/keep/compare.js';
import type { Section } from '../../src/miner/keep/sections.js';

const ROWS = 'row 1\nrow 2\nrow 3';
const whole = (path: string) => markedOutput('opencode', 'row 3', path, ROWS);
const cut = (path: string) => markedOutput('opencode', '...\nrow 3', path);

function sections(...outputs: readonly string[]): Section[] {
  const head = '[result]\n';
  const turn = { role: 'result', message: 'm1', start: 0, end: 0, head: head.length } as const;
  return outputs.map((output) => ({ ...turn, text: `${head}${output}\n\n` }));
}

function fates(filed: readonly string[], now: readonly string[], reshaped: boolean) {
  return fatesOf(sections(...filed), {
    sections: sections(...now),
    messages: new Set(['m1']),
    leftOut: new Set(),
    reshaped,
    incomplete: false,
    isElsewhere: () => false,
  });
}

it('the mark of a cut output says where the whole is', () => {
  expect(cutOutput(whole('/a, b]/c'))).toEqual({ path: '/a, b]/c', isWhole: true });
  expect(cutOutput(cut('/a'))).toEqual({ path: '/a', isWhole: false });
  expect(cutOutput(markedOutput('Codex', ROWS))).toBeUndefined();
  expect(cutOutput(`said: ${cut('/a')}`)).toBeUndefined();
});

describe.each([false, true])('an output that a program cut, made by another version: %s', (reshaped) => {
  it('stays whole when its file is removed, and is not lost', () => {
    expect(fates([whole('/a')], [cut('/a')], reshaped)).toEqual([{ kind: 'instead', at: 0, gone: false }]);
  });

  it('is whole when its file is there again', () => {
    expect(fates([cut('/a')], [whole('/a')], reshaped)).toEqual([{ kind: 'present', at: 0 }]);
  });

  it('is recognised by its file among several of one message', () => {
    const filed = [whole('/a'), cut('/b'), whole('/c')];
    expect(fates(filed, [cut('/c'), cut('/b'), whole('/a')], reshaped)).toEqual([
      { kind: 'present', at: 2 },
      { kind: 'present', at: 1 },
      { kind: 'instead', at: 0, gone: false },
    ]);
  });
});
