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

interface Step {
  call: string;
  long: boolean;
  error: boolean;
  text: boolean;
  answer?: boolean;
  compacted?: boolean;
  meta?: boolean;
}

/** A transcript whose results may be longer than what a tail parses. */
function transcript(steps: readonly Step[]): string {
  let number = 0;
  const record = (type: string, content: unknown, more = {}) => {
    number += 1;
    const timestamp = new Date(Date.UTC(2026, 0, 2) + number * 1000).toISOString();
    const uuid = `${number}`;
    return JSON.stringify({ type, uuid, timestamp, gitBranch: 'main', message: { content }, ...more });
  };
  const inputs = (step: number): Record<string, object> => ({
    Edit: { file_path: `/code/${step}.ts` },
    Write: { file_path: `/code/${step % 3}.ts`, content: '{"name": "Read"}' },
    Bash: { command: 'npm test', description: 'Test it' },
    BashSpaced: { command: ' npm  test\n' },
    BashOther: { command: `npm test -- ${step}` },
    BashMoves: { command: `git mv '/code/b.ts' /code/${step}.ts` },
    BashRemoves: { command: `rm /code/${step - 1}.ts` },
    TaskCreate: { subject: `Test ${step}` },
    TaskUpdate: { taskId: `${step - 1}`, status: 'completed' },
    TodoWrite: { todos: [{ content: `Round ${step}`, status: 'pending' }] },
    Read: { file_path: '/code/b.ts' },
  });
  return steps
    .flatMap(({ call, long, error, text, answer, compacted, meta }, step) => {
      const output = `Task #${step} created "tool_use_id":"x" ${'line\n'.repeat(long ? 1000 : 1)}`;
      const id = `t${step}`;
      const content = text ? [{ type: 'text', text: output }] : output;
      return [
        record('user', `Request ${step} "isCompactSummary":true`, meta === true ? { isMeta: true } : {}),
        record('assistant', [
          { type: 'tool_use', id, name: call.replace(/^Bash.*/, 'Bash'), input: inputs(step)[call] },
        ]),
        record('user', [{ type: 'tool_result', tool_use_id: id, content, is_error: error }]),
        ...(answer === true ? [record('assistant', [{ type: 'text', text: 'Done: "tool_use"' }])] : []),
        ...(compacted === true ? compaction(record, step) : []),
      ];
    })
    .map((line) => `${line}\n`)
    .join('');
}

function compaction(record: (type: string, content: unknown, more?: object) => string, step: number) {
  const compactMetadata = { preTokens: 1000 + step };
  return [
    record('system', '', { subtype: 'compact_boundary', compactMetadata }),
    record('user', `Summary ${step}`, { isCompactSummary: true }),
  ];
}

async function stateOf(entries: AsyncIterable<Entry>) {
  const recorder = new CheckpointRecorder();
  for await (const entry of entries) if (entry.kind !== 'malformed') recorder.add(entry);
  return { ...recorder.latest(false), brokeOff: recorder.brokeOff };
}

describe('the tail of a transcript', () => {
  it('says where the session stands as the whole transcript does, without parsing long output', async () => {
    const step = fc.record({
      call: fc.constantFrom(
        ...['Edit', 'Write', 'Bash', 'BashSpaced', 'BashOther', 'BashMoves', 'BashRemoves', 'Read'],
        ...['TaskCreate', 'TaskUpdate', 'TodoWrite'],
      ),
      long: fc.boolean(),
      error: fc.boolean(),
      text: fc.boolean(),
      answer: fc.boolean(),
      // Parts of a session are longer than what is read of each.
      compacted: fc.integer({ max: 9, min: 0 }).map((number) => number === 0),
      meta: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }), async (steps) => {
        const path = join(folder, 'talk.jsonl');
        writeFileSync(path, transcript(steps));
        const files = [{ path, mtimeMs: 0, size: 0 }] as const;
        const whole = claudeCode.read({ files, identity: { sessionId: 'talk' }, agents: new Set() });
        expect(await stateOf(tailEntries('claude-code', path, 1 << 20))).toEqual(await stateOf(whole));
      }),
      { numRuns: 150 },
    );
  });

  it('says how many tokens the last compaction freed, however many requests follow it', async () => {
    const path = join(folder, 'many-requests.jsonl');
    const step = { call: 'Read', long: false, error: false, text: false };
    writeFileSync(
      path,
      transcript(new Array(60).fill(step).map((each, at) => ({ ...each, compacted: at === 0 }))),
    );
    const { summary, tokensBefore } = await stateOf(tailEntries('claude-code', path, 1 << 20));
    expect({ summary, tokensBefore }).toEqual({ summary: 'Summary 0', tokensBefore: 1000 });
  });

  it('reads of what precedes the compaction before the last one only requests and open items', async () => {
    const path = join(folder, 'compacted.jsonl');
    const step = { long: false, error: false, text: false, answer: true };
    const later = ['Write', 'Write', 'Write', 'Write', 'Write', 'Write', 'Edit'];
    const calls = ['Edit', 'TodoWrite', 'Edit', ...later];
    writeFileSync(path, transcript(calls.map((call) => ({ ...step, call, compacted: call === 'Edit' }))));
    const names: string[] = [];
    for await (const entry of tailEntries('claude-code', path, 1 << 20))
      if (entry.kind === 'turn')
        names.push(...entry.parts.flatMap((part) => (part.kind === 'call' ? part.name : [])));
    expect(names).toEqual(['TodoWrite', ...later]);
  });

  it('reads no call that neither changes a file nor failed, but those that may repeat one that failed', async () => {
    const path = join(folder, 'reading.jsonl');
    const step = { long: true, error: false, text: false, answer: true };
    const calls = ['Read', 'BashOther', 'Bash', 'Edit', 'BashSpaced', ...new Array(9).fill('Write')];
    writeFileSync(path, transcript(calls.map((call, number) => ({ ...step, call, error: number === 2 }))));
    const parts: string[] = [];
    for await (const entry of tailEntries('claude-code', path, 1 << 20))
      if (entry.kind === 'turn')
        parts.push(...entry.parts.map((part) => (part.kind === 'call' ? part.name : part.kind)));
    const [later] = [parts.indexOf('Write')];
    expect(parts.slice(0, later).filter((each) => each !== 'text')).toEqual([
      'Bash',
      'result',
      'Edit',
      'Bash',
      'result',
    ]);
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
