import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  aside,
  beginTry,
  dropAside,
  dropOldAside,
  enqueue,
  hooksFolder,
  noted,
  putBack,
  retryAside,
  setAside,
  settle,
  take as takeAll,
  waiting,
} from '../../src/hooks/queue.js';
import { temporaryFolder } from '../support/palace.js';

const entry = (sessionId: string, offset: number) => ({
  harness: 'claude-code' as const,
  sessionId,
  transcript: `/logs/${sessionId}.jsonl`,
  offset,
  ended: false,
  rests: false,
});

const take = (palace: string) => takeAll(palace).taken;

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
    for (const taken of take(palace)) beginTry(taken);
    const [again] = take(palace);
    expect(again).toMatchObject({ offset: 10, tries: 1 });
    if (again !== undefined) {
      beginTry(again);
      putBack(again);
    }
    expect(take(palace)).toMatchObject([{ offset: 10, tries: 1 }]);
    enqueue(palace, entry('a', 20));
    expect(take(palace)).toMatchObject([{ offset: 20, tries: 0 }]);
  });

  it('hands out what failed least often first, and sets aside what three runs did not file', () => {
    const palace = temporaryFolder();
    for (const id of ['a', 'b', 'c']) enqueue(palace, entry(id, 10));
    for (const taken of take(palace)) if (taken.sessionId === 'a') beginTry(taken);
    expect(
      take(palace)
        .map(({ sessionId }) => sessionId)
        .at(-1),
    ).toBe('a');
    // Each of these runs was killed.
    for (let run = 1; run < 3; run += 1)
      for (const taken of take(palace)) if (taken.sessionId === 'a') beginTry(taken);
    const { taken, aside: refused } = takeAll(palace);
    expect(taken.map(({ sessionId }) => sessionId).sort()).toEqual(['b', 'c']);
    expect(refused).toMatchObject([{ harness: 'claude-code', sessionId: 'a' }]);
    expect(aside(palace)).toEqual(refused);
    expect(waiting(palace)).toBe(2);
  });

  it('takes in again what was set aside: when asked, and when a hook names the session', () => {
    const palace = temporaryFolder();
    const [a, b] = ['a', 'b'].map((id) => {
      enqueue(palace, entry(id, 10));
      const taken = take(palace).find(({ sessionId }) => sessionId === id);
      if (taken === undefined) throw new Error('nothing taken');
      return setAside(palace, taken, 'its transcript cannot be read');
    });
    expect(aside(palace)).toEqual(expect.arrayContaining([a, b]));
    enqueue(palace, entry('b', 20));
    expect(aside(palace)).toEqual([a]);
    expect(retryAside(palace)).toBe(1);
    expect(
      take(palace)
        .map(({ sessionId, tries }) => [sessionId, tries])
        .sort(),
    ).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
    for (const taken of take(palace)) setAside(palace, taken, 'no');
    expect(dropOldAside(palace, Date.now())).toBe(0);
    expect(dropOldAside(palace, Date.now() + 31 * 86_400_000)).toBe(2);
    expect([aside(palace), dropAside(palace), waiting(palace)]).toEqual([[], 0, 0]);
  });

  it('is not stopped by a name that is not UTF-8, or by a folder in the way', () => {
    const palace = temporaryFolder();
    enqueue(palace, entry('a', 10));
    const [name = ''] = readdirSync(join(hooksFolder(palace), 'queue'));
    const queue = join(hooksFolder(palace), 'queue/');
    writeFileSync(Buffer.concat([Buffer.from(queue), Buffer.from([0xff]), Buffer.from('.json')]), '{}');
    mkdirSync(join(hooksFolder(palace), 'taken', name, 'deep'), { recursive: true });
    expect(takeAll(palace)).toMatchObject({ taken: [{ sessionId: 'a' }], aside: [] });
    expect(noted(palace)).toBe(0);
  });

  it('sets aside entries of an earlier release that cannot be filed, with the reason', () => {
    const palace = temporaryFolder();
    enqueue(palace, entry('good', 10));
    const folder = join(hooksFolder(palace), 'queue');
    const bad = { harness: 'claude-code', session_id: 'a', path: '/logs/a.jsonl' };
    const entries = [
      { ...bad, session_id: 'a\u0000b' },
      { ...bad, session_id: '../a' },
      { ...bad, session_id: 'x'.repeat(3_000) },
      { ...bad, path: '/logs/\u0000.jsonl' },
      { ...bad, path: 'a.jsonl' },
      { ...bad, path: `/${'x/'.repeat(4_000)}` },
      { ...bad, session_id: '\ud800' },
    ];
    for (const [index, each] of entries.entries())
      writeFileSync(join(folder, `${index}.json`), JSON.stringify(each));
    // Nothing of the queue itself: an entry of another kind is neither read nor counted.
    mkdirSync(join(folder, 'folder.json'));
    execFileSync('mkfifo', [join(folder, 'pipe.json')]);
    expect(take(palace).map(({ sessionId }) => sessionId)).toEqual(['good']);
    expect(aside(palace).map(({ reason }) => reason)).toEqual([
      'its session id contains a control character',
      'its session id is a path',
      'its session id is longer than 200 characters',
      'the path of its transcript contains a control character',
      'the path of its transcript is not an absolute path',
      'the path of its transcript is longer than 4096 bytes',
      'its session id contains half of a character',
    ]);
  });

  it('sets aside what nobody can read', () => {
    const palace = temporaryFolder();
    enqueue(palace, entry('a', 10));
    const folder = join(hooksFolder(palace), 'queue');
    writeFileSync(join(folder, 'broken.json'), '{"harness": "claude-');
    writeFileSync(join(folder, 'other.json'), '{"harness": "nobody", "session_id": "x"}');
    expect(take(palace).map(({ sessionId }) => sessionId)).toEqual(['a']);
    expect(waiting(palace)).toBe(1);
    expect(aside(palace)).toEqual(
      Array(2).fill({ harness: null, sessionId: null, reason: 'its entry in the queue is damaged' }),
    );
  });
});
