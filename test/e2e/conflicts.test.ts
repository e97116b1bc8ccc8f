import { describe, expect, it } from 'vitest';
import { schemas } from '../support/json-schemas.js';
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

describe('mempalace facts conflicts', () => {
  it('forgets the record with its fact', async () => {
    const { env, ids } = await disagreeing();
    const [kept = '', ended = ''] = ids;
    await env.json('mempalace', ['kg', 'resolve', kept, ended, '--keep', ended, '--because', 'measured']);
    await env.json('mempalace', ['kg', 'forget', kept, '--yes']);
    const { hits } = schemas.search.parse(await env.json('mempalace', ['search', 'measured']));
    expect(hits).toEqual([]);
    expect(traces(env, '8443')).toEqual([]);
  });
});
