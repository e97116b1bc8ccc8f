import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containsTranscripts } from '../../../src/feeders/transcripts/contains.js';
import { writtenBelow } from '../../support/exports.js';
import { readTranscripts, timesIn } from '../../support/staged-transcripts.js';
import { SHARED } from '../../support/test-env.js';

const read = async (content: string, name = 'ports.txt') => {
  const { found, skipped } = await readTranscripts(join(writtenBelow({ [name]: content }), name));
  return { skipped, talk: [...found.values()][0] };
};

describe('text with quoted questions', () => {
  it('keeps every line: long questions, indentation, rules, and text before the first question', async () => {
    const { talk } = await read(
      'Before all.\n> Which port?\n> Of the gateway.\n\n    if (zebra) {\n      8443\n    }\n---\nAfter the rule.\n> Sure?\nYes.\n',
    );
    expect(talk?.head.title).toBe('ports');
    expect(talk?.text).toContain('Which port?\nOf the gateway.');
    expect(talk?.text).toContain('    if (zebra) {\n      8443\n    }\n---\nAfter the rule.');
    expect(talk?.text).toContain('Before all.');
  });

  it('needs three quoted lines, and is not a file next to a program’s transcripts', async () => {
    expect((await read('> One\nA.\n> Two\nB.\n')).skipped).toMatchObject([{ reason: 'not a transcript' }]);
    const inside = await read('> One\n> Two\n> Three\n', '.claude/projects/x/tool-results/a.txt');
    expect(inside.talk).toBeUndefined();
  });

  it('any text: every line once', async () => {
    const line = fc.tuple(fc.boolean(), fc.constantFrom('', '  ', '\t', '---', '# '));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (drawn) => {
        const lines = drawn.map(([quoted, odd], at) => `${quoted ? '> ' : ''}${odd}word${at}x`);
        const { talk } = await read(['> a', '> b', '> c', ...lines].join('\n'));
        for (const at of drawn.keys()) expect(timesIn(talk?.text ?? '', `word${at}x`)).toBe(1);
      }),
      { numRuns: 25 },
    );
  });

  it.skipIf(!existsSync(join(SHARED, 'data', 'docs-dev')))(
    'real documents are not mistaken for it',
    async () => {
      expect(await containsTranscripts(join(SHARED, 'data', 'docs-dev'))).toBe(false);
    },
  );
});
