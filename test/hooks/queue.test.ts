import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { enqueue, hooksFolder, noted, putBack, settle, take, waiting } from '../../src/hooks/queue.js';
import { temporaryFolder } from '../support/palace.js';

const entry = (sessionId: string, offset: number) => ({
  harness: 'claude-code' as const,
  sessionId,
  transcript: `/logs/${sessionId}.jsonl`,
  offset,
  ended: false,
});

describe('the queue of hooks', () => {
  it('holds one entry a session, the newest, for its owner only', () => {
    const palace = temporaryFolder();
    expect(enqueue(palace, entry('a', 10))).toBe(true);
    expect(enqueue(palace, entry('a', 10))).toBe(false);
    expect(enqueue(palace, entry('a', 20))).toBe(true);
    expect(enqueue(palace, entry('b', 10))).toBe(true);
    const folder = join(hooksFolder(palace), 'queue');
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const taken = take(palace).map(({ sessionId, offset, tries }) => [sessionId, offset, tries]);
    expect(taken.sort()).toEqual([
      ['a', 20, 0],
      ['b', 10, 0],
    ]);
  });

  it('keeps what is noted while a run is at work, and what a killed run had taken', () => {
    const palace = temporaryFolder();
    enqueue(palace, entry('a', 10));
    const [first] = take(palace);
    if (first === undefined) throw new Error('nothing taken');
    enqueue(palace, entry('a', 30));
    settle(first);
    expect(noted(palace)).toBe(1);
    expect(take(palace)).toMatchObject([{ sessionId: 'a', offset: 30 }]);
    // That run is gone without a word.
    expect([noted(palace), waiting(palace)]).toEqual([0, 1]);
    expect(take(palace)).toMatchObject([{ sessionId: 'a', offset: 30, tries: 0 }]);
  });

  it('counts vain tries, and forgets them when there is something new', () => {
    const palace = temporaryFolder();
    enqueue(palace, entry('a', 10));
    for (const taken of take(palace)) putBack(taken);
    expect(take(palace)).toMatchObject([{ offset: 10, tries: 1 }]);
    enqueue(palace, entry('a', 20));
    expect(take(palace)).toMatchObject([{ offset: 20, tries: 0 }]);
  });

  it('lets go what nobody can read', () => {
    const palace = temporaryFolder();
    enqueue(palace, entry('a', 10));
    const folder = join(hooksFolder(palace), 'queue');
    writeFileSync(join(folder, 'broken.json'), '{"harness": "claude-');
    writeFileSync(join(folder, 'other.json'), '{"harness": "nobody", "session_id": "x"}');
    expect(take(palace).map(({ sessionId }) => sessionId)).toEqual(['a']);
    expect(waiting(palace)).toBe(1);
  });
});
