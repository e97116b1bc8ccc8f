import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { USES_FILE } from '../../src/uses/log.js';
import { withBroker } from '../support/broker.js';
import { schemas } from '../support/json-schemas.js';
import { TestEnv } from '../support/test-env.js';

const counting = async () => {
  const env = new TestEnv();
  const shop = env.project('shop', {
    'lamps.md': '# Lamps\n\nThe lamp in the hall is broken.\n',
    'ladders.md': '# Ladders\n\nThe ladder is in the shed.\n',
  });
  await env.json('mempalace-docs', [shop]);
  env.env.MEMPALACE_USES = 'on';
  const file = join(env.palace, USES_FILE);
  return { env, shop, file, text: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') };
};

describe('uses', () => {
  it('are counted by commands, without the question, and without a change of the palace', async () => {
    const { env, text } = await counting();
    const palace = () => readFileSync(join(env.palace, 'palace.sqlite3'));
    const before = palace();
    const { hits } = schemas.search.parse(await env.json('mempalace', ['search', 'secretquestion lamp']));
    const [first] = hits;
    await env.json('mempalace', ['show', first?.drawer_id ?? '']);
    await env.json('mempalace', ['timeline', first?.drawer_id ?? '']);
    await env.json('mempalace', ['show', 'lamps.md']);
    expect(palace().equals(before)).toBe(true);
    expect(text()).not.toContain('secret');
    const lines = text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ use }) => use)).toEqual(['found', 'opened', 'opened', 'opened']);
    expect(Object.keys(lines[0].drawers)).toEqual(hits.map(({ drawer_id }) => drawer_id));
    expect(lines[3].drawers).toEqual({ [first?.drawer_id ?? '']: 1 });
  });

  it('are counted by the threads of a broker, once', async () => {
    const { env, text } = await counting();
    const served = withBroker(env);
    served.env.MEMPALACE_USES = 'on';
    await served.run('mempalace', ['broker', 'ensure']);
    await served.json('mempalace', ['search', 'lamp']);
    expect(text().trimEnd().split('\n')).toHaveLength(1);
  });

  it('are not counted when the setting says so', async () => {
    const { env, text } = await counting();
    env.env.MEMPALACE_USES = 'off';
    await env.json('mempalace', ['search', 'lamp']);
    expect(text()).toBe('');
    const wrong = await env.run('mempalace', ['search', 'lamp'], { MEMPALACE_USES: 'yes' });
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('MEMPALACE_USES: on or off is wanted'),
    ]);
  });

  it('of a forgotten source are removed', async () => {
    const { env, shop, text } = await counting();
    const { hits } = schemas.search.parse(
      await env.json('mempalace', ['search', 'lamp', '--source', 'lamps.md']),
    );
    await env.json('mempalace', ['search', 'ladder', '--source', 'ladders.md']);
    expect(text()).toContain(hits[0]?.drawer_id);
    await env.json('mempalace', ['forget', '--source', join(shop, 'lamps.md'), '--yes']);
    expect(text()).not.toContain(hits[0]?.drawer_id);
    expect(text()).toContain('drawer_');
  });
});
