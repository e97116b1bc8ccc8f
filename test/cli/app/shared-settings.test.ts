import { expect, it } from 'vitest';
import { sharedSettings } from '../../../src/cli/app/shared-settings.js';
import { loadConfig } from '../../../src/config/index.js';
import { resolveFolders } from '../../../src/platform/folders.js';

const HOME = '/home/ada';

/** The settings of a machine with these variables. */
async function shared(more: Record<string, string> = {}) {
  const env = { HOME, MEMPALACE_CONFIG: '/nowhere/config.yaml', ...more };
  const folders = resolveFolders(env);
  return sharedSettings(await loadConfig({ env, folders }), folders, env);
}

/** Names of what differs from a machine without these variables. */
async function differing(more: Record<string, string>): Promise<string[]> {
  const [one, other] = [await shared(), await shared(more)];
  return Object.keys(one).filter((name) => one[name] !== other[name]);
}

it.each<[Record<string, string>, string[]]>([
  [{ XDG_DATA_HOME: `${HOME}/.local/share`, XDG_CACHE_HOME: `${HOME}/.cache` }, []],
  [{ XDG_CONFIG_HOME: 'relative', MEMPALACE_SEARCH_LIMIT: '5', MEMPALACE_BROKER: 'auto' }, []],
  [{ HF_TOKEN: 'abc', HF_HUB_OFFLINE: '1', OPENAI_BASE_URL: 'https://models.example.org' }, []],
  [{ MEMPALACE_MODELS: `${HOME}/.local/share/mempalace/models`, MEMPALACE_AGENT_NAME: 'ada' }, []],
  [{ MEMPALACE_PALACE_PATH: '/elsewhere', MEMPALACE_LOG_LEVEL: 'debug' }, []],
  [{ XDG_DATA_HOME: '/data' }, ['data folder', 'folder of models']],
  [{ MEMPALACE_SEARCH_MIN_SCORE: '0.5' }, ['search.min_score']],
  [{ MEMPALACE_SEARCH_WEIGHTS_RECENCY: '0.9' }, ['search.weights.recency']],
  [{ MEMPALACE_MODELS: '/models' }, ['folder of models']],
  [{ OPENAI_API_KEY: 'abc' }, ['key of the endpoint']],
])('compares what was resolved: %o', async (variables, names) => {
  expect(await differing(variables)).toEqual(names);
});

it('does not tell the values', async () => {
  expect(Object.values(await shared({ MEMPALACE_API_KEY: 'abc' }))).toEqual(
    expect.arrayContaining([expect.stringMatching(/^[0-9a-f]{16}$/)]),
  );
  expect(JSON.stringify(await shared({ MEMPALACE_API_KEY: 'abc' }))).not.toContain('abc');
});
