import { expect, it, vi } from 'vitest';

const loaded: string[] = [];
vi.mock('yaml', async (original) => {
  loaded.push('yaml');
  return await original();
});
vi.mock('zod', async (original) => {
  loaded.push('zod');
  return await original();
});

it('loads neither parser nor schema without settings to check', async () => {
  // Tests share their modules.
  vi.resetModules();
  const { loadConfig } = await import('../../src/config/index.js');
  const folders = { home: '/nowhere', config: '/nowhere' };
  const env = { MEMPALACE_PALACE_PATH: '/p', MEMPALACE_MODEL: 'm', MEMPALACE_SEARCH_LIMIT: '' };
  const config = await loadConfig({ env, folders, flags: { palace: '/q' } });
  expect(config).toMatchObject({ palace: '/q', model: 'm', search: { limit: 5 } });
  expect(loaded).toEqual([]);
  await loadConfig({ env: { ...env, MEMPALACE_SEARCH_LIMIT: '3' }, folders });
  expect(loaded).toEqual(['zod']);
  await loadConfig({ env: { MEMPALACE_CONFIG: '/dev/null' }, folders });
  expect(loaded).toEqual(['zod', 'yaml']);
});
