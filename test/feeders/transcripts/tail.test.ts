import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CheckpointRecorder } from '../../../src/checkpoint/index.js';
import { claudeCode } from '../../../src/feeders/transcripts/harnesses/claude-code/index.js';
import { tailEntries } from '../../../src/feeders/transcripts/tail.js';
import type { Entry } from '../../../src/feeders/transcripts/turns.js';

const folder = mkdtempSync(join(tmpdir(), 'mempalace-tail-'));

/** A transcript whose results may be longer than what a tail parses. */
function transcript(
  steps: readonly { call: string; long: boolean; error: boolean; text: boolean }[],
): string {
  const record = (number: number, type: string, content: unknown) => {
    const timestamp = new Date(Date.UTC(2026, 0, 2) + number * 1000).toISOString();
    return JSON.stringify({ type, uuid: `${number}`, timestamp, gitBranch: 'main', message: { content } });
  };
  const inputs: Record<string, object> = {
    Edit: { file_path: '/code/a.ts' },
    Bash: { command: 'npm test' },
    TaskCreate: { subject: 'Test it' },
    Read: { file_path: '/code/b.ts' },
  };
  return steps
    .flatMap(({ call, long, error, text }, step) => {
      const output = `Task #${step} created "tool_use_id":"x" ${'line\n'.repeat(long ? 1000 : 1)}`;
      const id = `t${step}`;
      const content = text ? [{ type: 'text', text: output }] : output;
      const input = { ...inputs[call], ...(call === 'Edit' ? { file_path: `/code/${step}.ts` } : {}) };
      return [
        record(3 * step, 'user', `Request ${step}`),
        record(3 * step + 1, 'assistant', [{ type: 'tool_use', id, name: call, input }]),
        record(3 * step + 2, 'user', [{ type: 'tool_result', tool_use_id: id, content, is_error: error }]),
      ];
    })
    .map((line) => `${line}\n`)
    .join('');
}

async function stateOf(entries: AsyncIterable<Entry>) {
  const recorder = new CheckpointRecorder();
  for await (const entry of entries) if (entry.kind !== 'malformed') recorder.add(entry);
  return { ...recorder.latest(false), brokeOff: recorder.brokeOff };
}

describe('the tail of a transcript', () => {
  it('says where the session stands as the whole transcript does, without parsing long output', async () => {
    const step = fc.record({
      call: fc.constantFrom('Edit', 'Bash', 'Read'),
      long: fc.boolean(),
      error: fc.boolean(),
      text: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const path = join(folder, 'talk.jsonl');
        writeFileSync(path, transcript(steps));
        const files = [{ path, mtimeMs: 0, size: 0 }] as const;
        const whole = claudeCode.read({ files, identity: { sessionId: 'talk' }, agents: new Set() });
        expect(await stateOf(tailEntries('claude-code', path, 1 << 20))).toEqual(await stateOf(whole));
      }),
      { numRuns: 40 },
    );
  });

  it('begins with its first whole line', async () => {
    const path = join(folder, 'cut.jsonl');
    const text = transcript([1, 2, 3].map(() => ({ call: 'Edit', long: false, error: false, text: false })));
    writeFileSync(path, text);
    const last = text.split('\n').slice(-3, -1).join('\n').length + 1;
    const entries: Entry[] = [];
    for await (const entry of tailEntries('claude-code', path, last + 10)) entries.push(entry);
    expect(entries.map(({ kind }) => kind)).toEqual(['fact', 'turn', 'turn']);
  });
});
