import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { homeFolder, resolveFolders } from '../../src/platform/folders.js';

describe('the home folder', () => {
  it.each([[{}], [{ HOME: '' }], [{ HOME: 'here' }]])('of %j is that of the user database', (env) => {
    expect(homeFolder(env)).toBe(userInfo().homedir);
    expect(resolveFolders(env).palace).toBe(`${userInfo().homedir}/.mempalace/palace`);
  });

  it('is HOME if that is absolute', () => {
    expect(homeFolder({ HOME: '/home/you' })).toBe('/home/you');
  });
});

describe('folders', () => {
  it('follow absolute XDG variables and no others', () => {
    const env = { HOME: '/home/you', XDG_CACHE_HOME: '/var/cache/you', XDG_CONFIG_HOME: 'config' };
    expect(resolveFolders(env)).toMatchObject({
      cache: '/var/cache/you',
      config: '/home/you/.config',
      data: '/home/you/.local/share',
    });
  });

  it('use the palace of the flag, or else of the environment', () => {
    const env = { HOME: '/home/you', MEMPALACE_PALACE_PATH: '/srv/palace' };
    expect(resolveFolders(env).palace).toBe('/srv/palace');
    expect(resolveFolders(env, '/other').palace).toBe('/other');
  });
});
