import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '../support/json-schemas.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';
import { traces } from '../support/traces.js';

describe('mempalace task', () => {
  it('is added, taken by one agent, and done', async () => {
    const env = new TestEnv();
    const task = (...args: string[]) => env.run('mempalace', ['task', ...args]);
    expect(await task('add', 'Check', 'the rounding')).toEqual({
      exitCode: 0,
      stdout: 'added: 1  │ Check the rounding',
      stderr: '',
    });
    await task('add', 'Paint the gate', '--for', 'Codex');
    const taken = schemas.taskTake.parse(await env.json('mempalace', ['task', 'take', '--agent', 'pi']));
    expect(taken.task).toMatchObject({ id: 1, state: 'taken', taken_by: 'pi' });
    // Its own task again, after a lost answer.
    expect((await task('take', '1', '--agent', 'Pi')).exitCode).toBe(0);
    expect(await task('take', '--agent', 'pi')).toMatchObject({ exitCode: 4, stdout: '' });
    const listed = await task('list');
    expect(listed.stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '…').split('\n')).toEqual([
      '1\ttaken by pi\t…\t│ Check the rounding',
      '2\topen for codex\t…\t│ Paint the gate',
    ]);
    expect((await env.run('mempalace', ['status'])).stdout).toContain('\ntasks: 1 open, 1 taken (');
    expect((await task('list', '--agent', 'codex')).stdout).toContain('Paint');
    expect((await task('done', '1', '--agent', 'pi', '--result', 'half up')).stdout).toBe(
      'done: 1  │ Check the rounding',
    );
    const all = schemas.taskList.parse(await env.json('mempalace', ['task', 'list', '--all']));
    expect(all.tasks.map(({ id, state, result }) => [id, state, result])).toEqual([
      [2, 'open', null],
      [1, 'done', 'half up'],
    ]);
    expect((await task('drop', '1')).exitCode).toBe(0);
    await task('drop', '2');
    expect((await env.run('mempalace', ['status'])).stdout).not.toContain('tasks');
    expect((await task('list', '--all')).stdout).not.toContain('rounding');
    expect(problemsOf(env.palace)).toEqual([]);
  });

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

  it('answers what cannot be done with a sentence and what to do', async () => {
    const env = new TestEnv();
    const said = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await env.run('mempalace', ['task', ...args]);
      expect([exitCode === 0, stdout]).toEqual([false, '']);
      return stderr;
    };
    // A question creates no palace.
    expect(await said('take', '--agent', 'pi')).toContain('there is no palace');
    await env.json('mempalace', ['task', 'add', 'one', '--for', 'codex']);
    expect(await said('take')).toContain('--agent <name>');
    expect(await said('take', '7', '--agent', 'pi')).toContain(
      'there is no task 7\n  hint: mempalace task list',
    );
    expect(await said('take', '1', '--agent', 'pi')).toContain('task 1 is for codex\n  hint: ');
    await env.json('mempalace', ['task', 'take', '1', '--agent', 'codex']);
    expect(await said('done', '1', '--agent', 'pi')).toContain('task 1 is taken by codex since ');
    await env.json('mempalace', ['task', 'done', '1']);
    expect(await said('take', '1', '--agent', 'codex')).toContain('task 1 is done since ');
    expect(await said('add', ' ')).toContain('the task is empty');
    expect(await said('take', 'x', '--agent', 'pi')).toContain('the number of the task');
  });

  it('stores no secret', async () => {
    const env = new TestEnv();
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    expect((await env.run('mempalace', ['task', 'add', `use ${secret}`])).stderr).toContain('redacted: ');
    await env.run('mempalace', ['task', 'done', '1', '--result', `with ${secret}`]);
    expect(traces(env, secret)).toEqual([]);
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
