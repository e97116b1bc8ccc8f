import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '../support/json-schemas.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

describe('mempalace task', () => {
  it('is exported with the whole palace, and imported once, without secrets', async () => {
    const env = new TestEnv();
    const task = (machine: TestEnv, ...args: string[]) => machine.json('mempalace', ['task', ...args]);
    for (const words of ['Check the rounding', 'Paint the gate', 'Feed the fox'])
      await task(env, 'add', words);
    await task(env, 'add', 'Greet', '--for', 'codex');
    await task(env, 'take', '1', '--agent', 'pi');
    await task(env, 'done', '1', '--agent', 'pi', '--result', 'half up');
    await task(env, 'take', '2', '--agent', 'pi');
    const file = join(env.home, 'palace.jsonl');
    await env.json('mempalace', ['export', '--jsonl', '--to', file]);
    const listed = async (machine: TestEnv) => {
      const { tasks } = schemas.taskList.parse(await task(machine, 'list', '--all'));
      return tasks.map(({ id: _, ...rest }) => rest);
    };
    const before = await listed(env);
    expect(before).toHaveLength(4);
    const other = new TestEnv();
    await task(other, 'add', 'Mine');
    const imported = schemas.import.parse(await other.json('mempalace', ['import', file]));
    expect(imported).toMatchObject({ tasks: 4, problems: [] });
    const there = await listed(other);
    expect(there.filter(({ text }) => text !== 'Mine')).toEqual(before);
    expect(await other.json('mempalace', ['import', file])).toMatchObject({ tasks: 0, problems: [] });
    // What was done there since then stays.
    await task(other, 'take', '--agent', 'kimi');
    const since = await listed(other);
    await other.json('mempalace', ['import', file]);
    expect(await listed(other)).toEqual(since);
    expect(await env.json('mempalace', ['import', file])).toMatchObject({ tasks: 0 });

    const wrong = [
      { text: 'Use ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6' },
      { text: '' },
      { agent: 'Not An Agent' },
      { taken_at: 'soon' },
    ].map((part) => {
      const row = {
        agent: null,
        added_by: 'x',
        added_at: '2026-01-02T03:04:05.000Z',
        taken_by: null,
        taken_at: null,
      };
      return JSON.stringify({
        type: 'task',
        text: 'a',
        ...row,
        done_by: null,
        done_at: null,
        result: null,
        ...part,
      });
    });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    writeFileSync(file, [...lines.slice(0, -1), ...wrong, lines.at(-1), ''].join('\n'));
    const { exitCode, stdout } = await other.run('mempalace', ['import', file, '--json']);
    expect(exitCode).toBe(3);
    const { tasks, skipped_by_reason } = schemas.import.parse(JSON.parse(stdout));
    expect([tasks, skipped_by_reason]).toEqual([0, { 'held back': 1, 'unreadable line': 3 }]);
    expect(await listed(other)).toEqual(since);
    expect(problemsOf(other.palace)).toEqual([]);
  });

  it('has one taker, however many processes take at the same time', async () => {
    const env = new TestEnv();
    const TAKERS = 8;
    const tasks = Array.from({ length: TAKERS + 2 }, (_, n) => `task number ${n + 1}`);
    for (const text of tasks) await env.json('mempalace', ['task', 'add', text]);
    const take = async (n: number): Promise<number[]> => {
      const ids: number[] = [];
      for (;;) {
        const args = ['task', 'take', '--agent', `agent-${n}`, '--json'];
        const { exitCode, stdout, stderr } = await env.spawn('mempalace', args);
        if (exitCode === 4) return ids;
        expect([exitCode, stderr]).toEqual([0, '']);
        ids.push(schemas.taskTake.parse(JSON.parse(stdout)).task?.id ?? 0);
      }
    };
    const taken = await Promise.all(Array.from({ length: TAKERS }, (_, n) => take(n)));
    expect(taken.flat().sort((a, b) => a - b)).toEqual(tasks.map((_, index) => index + 1));
    const { tasks: listed } = schemas.taskList.parse(await env.json('mempalace', ['task', 'list']));
    for (const { id, taken_by } of listed)
      expect(taken[Number(taken_by?.slice('agent-'.length))]).toContain(id);
  });
});
