import { describe, expect, it } from 'vitest';
import { schemas } from '../support/json-schemas.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';
import { traces } from '../support/traces.js';

async function disagreeing(): Promise<{ env: TestEnv; ids: string[] }> {
  const env = new TestEnv();
  const ids: string[] = [];
  for (const [port, day] of [
    ['8443', '2026-01-01'],
    ['9443', '2026-02-01'],
  ] as const) {
    const added = await env.json('mempalace', ['kg', 'add', 'shop', 'port', port, '--from', day]);
    ids.push(schemas.kgAdd.parse(added).fact.triple_id);
  }
  return { env, ids };
}

const unresolved = async (env: TestEnv) =>
  schemas.conflicts.parse(await env.json('mempalace', ['conflicts'])).conflicts;

describe('mempalace conflicts', () => {
  it('lists facts that contradict each other, until one of them is ended with a reason', async () => {
    const { env, ids } = await disagreeing();
    const [kept = '', ended = ''] = ids;
    expect((await env.run('mempalace', ['conflicts'])).stdout.split('\n')).toEqual([
      '│ shop port',
      `  ${kept}  │ 8443  since 2026-01-01`,
      `  ${ended}  │ 9443  since 2026-02-01`,
    ]);
    const resolve = ['kg', 'resolve', kept, ended.slice(0, 16), '--keep', kept];
    const because = 'the proxy was never moved';
    const done = schemas.kgResolve.parse(await env.json('mempalace', [...resolve, '--because', because]));
    expect([done.kept.object, done.ended.object, done.ended.current]).toEqual(['8443', '9443', false]);
    expect(await unresolved(env)).toEqual([]);
    const search = ['search', 'why was the proxy never moved', '--type', 'conflict'];
    const { hits } = schemas.search.parse(await env.json('mempalace', search));
    expect(hits.map(({ source_file, room }) => [source_file, room])).toEqual([
      [`conflict/${ended}/${kept}.md`, 'conflicts'],
    ]);
    expect(hits[0]?.text).toContain(`Because: ${because}`);
    const again = await env.run('mempalace', [...resolve, '--because', because]);
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    expect(again.stderr).toContain(
      'these facts do not contradict each other now\n  hint: mempalace conflicts',
    );
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('forgets the record with its fact', async () => {
    const { env, ids } = await disagreeing();
    const [kept = '', ended = ''] = ids;
    await env.json('mempalace', ['kg', 'resolve', kept, ended, '--keep', ended, '--because', 'measured']);
    await env.json('mempalace', ['kg', 'forget', kept, '--yes']);
    const { hits } = schemas.search.parse(await env.json('mempalace', ['search', 'measured']));
    expect(hits).toEqual([]);
    expect(traces(env, '8443')).toEqual([]);
  });

  it('refuses what does not contradict with a sentence, and changes nothing', async () => {
    const { env, ids } = await disagreeing();
    const [one = '', other = ''] = ids;
    const said = async (...args: string[]) => {
      const outcome = await env.run('mempalace', ['kg', 'resolve', ...args]);
      expect([outcome.exitCode === 0, outcome.stdout]).toEqual([false, '']);
      return outcome.stderr;
    };
    const unknown = `fact_${'0'.repeat(24)}`;
    expect(await said(one, unknown, '--keep', one, '--because', 'x')).toContain(
      `there is no fact "${unknown}"\n  hint: `,
    );
    expect(await said(one, one, '--keep', one, '--because', 'x')).toContain('two different facts are needed');
    expect(await said(one, other, '--keep', unknown, '--because', 'x')).toContain('there is no fact');
    expect(await said(one, other, '--keep', one, '--because', ' ')).toContain('the reason is empty');
    expect(await said(one, other, '--keep', one)).toContain("'--because <reason>'");
    expect(await unresolved(env)).toHaveLength(1);
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const told = await env.run('mempalace', [
      ...['kg', 'resolve', one, other, '--keep', one],
      ...['--because', `it says ${secret}`],
    ]);
    expect(told.stderr).toContain('redacted: ');
    expect(traces(env, secret)).toEqual([]);
  });
});
