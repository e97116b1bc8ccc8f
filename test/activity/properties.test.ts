import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meaningOf } from '../../src/activity/calls.js';
import { Activity, maskedMessage } from '../../src/activity/index.js';
import type { Part } from '../../src/core/parts.js';

const TOOLS = ['Read', 'Edit', 'Write', 'Bash', 'exec', 'apply_patch', 'TodoWrite', 'TaskCreate', 'unknown'];
const ids = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined });
const inputs = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('a.ts', 'b.ts').map((file_path) => ({ file_path, command: `cat ${file_path}`, todos: [] })),
);
const parts: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: fc.string() }),
  fc.record({ kind: fc.constant('call' as const), id: ids, name: fc.constantFrom(...TOOLS), input: inputs }),
  fc.record({ kind: fc.constant('result' as const), id: ids, text: fc.string(), error: fc.boolean() }),
);
const turns = fc.array(
  fc.record({
    role: fc.constantFrom('user' as const, 'assistant' as const),
    spoken: fc.boolean(),
    parts: fc.array(parts, { maxLength: 4 }),
  }),
  { maxLength: 40 },
);

test('any transcript is collected: places lie within it, and a fix follows its failure', () => {
  fc.assert(
    fc.property(turns, (transcript) => {
      const activity = new Activity();
      for (const turn of transcript) activity.add(turn);
      const places = [...activity.touched, ...activity.failures];
      for (const { turn, call } of places) {
        expect(turn).toBeLessThan(activity.turns);
        expect(call).toBeLessThan(activity.calls);
      }
      for (const { call, fix } of activity.failures) {
        if (fix === undefined) continue;
        expect(fix.call).toBeGreaterThan(call);
        for (const edit of fix.edits) {
          expect(edit.action).not.toBe('read');
          expect(edit.call).toBeGreaterThan(call);
          expect(edit.call).toBeLessThan(fix.call);
        }
      }
      const spoken = transcript.filter(({ role, spoken }) => role === 'user' && spoken);
      expect(activity.asks.length).toBeLessThanOrEqual(Math.min(10, spoken.length));
    }),
  );
});

test('touched files and failures of a prefix are those of the whole as far as it goes', () => {
  fc.assert(
    fc.property(turns, fc.nat(), (transcript, cut) => {
      const [whole, prefix] = [new Activity(), new Activity()];
      const end = transcript.length === 0 ? 0 : cut % transcript.length;
      for (const turn of transcript.slice(0, end)) prefix.add(turn);
      for (const turn of transcript) whole.add(turn);
      const shared = (activity: Activity) => activity.failures.filter(({ turn }) => turn < end).length;
      expect(shared(whole)).toBeGreaterThanOrEqual(prefix.failures.length);
      const before = new Set(prefix.touched.map((each) => JSON.stringify(each)));
      for (const each of whole.touched.filter(({ turn }) => turn < end))
        expect(before.has(JSON.stringify(each))).toBe(true);
    }),
  );
});

test('paths are single lines, whatever a call contains', () => {
  const names = fc.constantFrom(...TOOLS, 'shell', 'read_many_files', 'str_replace_editor');
  fc.assert(
    fc.property(names, fc.oneof(fc.jsonValue(), fc.string(), inputs), (name, input) => {
      for (const { path, from } of meaningOf(name, input).touches) {
        expect(path).toMatch(/^[^\n\0]{1,1024}$/);
        expect(from ?? path).not.toBe('');
      }
    }),
  );
});

test('masking a masked message changes nothing that differs between two numbers', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', ' ', '/', ':', 'é', '\n', '"', '-')),
      fc.nat(),
      fc.nat(),
      (signs, a, b) => {
        const message = (number: number) => `${signs.join('')} line ${number} `;
        expect(maskedMessage(message(a))).toBe(maskedMessage(message(b)));
      },
    ),
  );
});
