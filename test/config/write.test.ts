import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeSetting, settingNamed, settingOf, writeSetting } from '../../src/config/change.js';
import { loadConfig } from '../../src/config/index.js';
import { temporaryFolder } from '../support/palace.js';

function machine(text?: string) {
  const home = temporaryFolder();
  const at = { env: {}, folders: { home, config: join(home, '.config') } };
  const folder = join(home, '.config', 'mempalace');
  const path = join(folder, 'config.yaml');
  if (text !== undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, text);
  }
  return { at, folder, path, read: () => readFileSync(path, 'utf8') };
}

describe('writeSetting', () => {
  it('creates a private file', async () => {
    const { at, folder, path, read } = machine();
    await writeSetting(at, 'model', 'bge-small-en-v1.5');
    expect(read()).toBe('model: bge-small-en-v1.5\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual(['config.yaml']);
  });

  it('keeps comments, order and all other values', async () => {
    const { at, read } = machine(
      '# top\n\nsearch:\n  limit: 3 # three\n\n  # nobody reads these\n  cold:\n    - a\nmodel: "x" # model\n# end\n',
    );
    await writeSetting(at, 'model', 'y');
    await writeSetting(at, 'search.limit', 4);
    await writeSetting(at, 'wake_up.tokens', 300);
    expect(read().replace(/\n+/g, '\n')).toBe(
      '# top\nsearch:\n  limit: 4 # three\n  # nobody reads these\n  cold:\n    - a\nmodel: "y" # model\nwake_up:\n  tokens: 300\n# end\n',
    );
  });

  it.each(['# nothing yet\n', 'search:\nmodel:\n', '{ model: a }\n', '%YAML 1.2\n---\nmodel: a\n'])(
    'sets what was not there in %j',
    async (text) => {
      const { at } = machine(text);
      await writeSetting(at, 'search.weights.recency', 2);
      await writeSetting(at, 'model', 'https://localhost/v1#name');
      const { model, search } = await loadConfig(at);
      expect({ model, recency: search.weights.recency }).toEqual({
        model: 'https://localhost/v1#name',
        recency: 2,
      });
    },
  );

  it('replaces a list, and nothing where the value is there already', async () => {
    const { at, read, path } = machine('search:\n  cold: # quiet\n    - a # one\n');
    const { mtimeMs } = statSync(path);
    expect(await writeSetting(at, 'search.cold', ['a'])).toMatchObject({ changed: false, former: ['a'] });
    expect([statSync(path).mtimeMs, read()]).toEqual([mtimeMs, 'search:\n  cold: # quiet\n    - a # one\n']);
    expect(await writeSetting(at, 'search.cold', ['b', 'c/d'])).toMatchObject({
      changed: true,
      former: ['a'],
    });
    expect((await loadConfig(at)).search.cold).toEqual(['b', 'c/d']);
  });

  it('does not change a malformed file, or one that the value would make malformed', async () => {
    const broken = machine('serach: 1\n');
    await expect(writeSetting(broken.at, 'model', 'x')).rejects.toThrow(/no setting "serach"/);
    expect(broken.read()).toBe('serach: 1\n');
    const sound = machine('model: x\n');
    await expect(writeSetting(sound.at, 'search.limit', 0)).rejects.toThrow(/whole number/);
    expect(sound.read()).toBe('model: x\n');
    const weights = machine('search:\n  weights:\n    relevance: 0\n    recency: 0\n');
    await expect(writeSetting(weights.at, 'search.weights.importance', 0)).rejects.toThrow(
      /all of them are 0/,
    );
    expect(weights.read()).not.toContain('importance');
  });

  it('writes through a link', async () => {
    const { at, folder, path } = machine('');
    const kept = join(at.folders.home, 'dotfiles.yaml');
    writeFileSync(kept, 'model: x # mine\n');
    const linked = join(folder, 'linked.yaml');
    symlinkSync(kept, linked);
    await writeSetting({ ...at, env: { MEMPALACE_CONFIG: linked } }, 'model', 'y');
    expect(readFileSync(kept, 'utf8')).toBe('model: y # mine\n');
    expect(lstatSync(linked).isSymbolicLink()).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('');
  });
});

describe('removeSetting', () => {
  it('keeps comments, order and all other values, and no empty section', async () => {
    const { at, read } = machine(
      '# top\nsearch:\n  limit: 3\n  # nobody reads these\n  cold: [a]\nwake_up:\n  tokens: 5\n# end\n',
    );
    expect(await removeSetting(at, 'wake_up.tokens')).toMatchObject({
      changed: true,
      former: 5,
      value: null,
    });
    await removeSetting(at, 'search.limit');
    expect(read()).toMatch(/^# top\nsearch:\n {2}# nobody reads these\n {2}cold: \[ ?a ?\]\n+# end\n$/);
    expect(await removeSetting(at, 'search.limit')).toMatchObject({ changed: false, former: null });
    const none = machine();
    expect(await removeSetting(none.at, 'model')).toMatchObject({ changed: false });
    expect(() => none.read()).toThrow(/ENOENT/);
  });
});

describe('a setting on the command line', () => {
  const { folders } = machine().at;

  it('is one of the settings, with a value that it can have', () => {
    expect(settingNamed('search.limit')).toBe('search.limit');
    expect(() => settingNamed('search.limt')).toThrow(
      expect.objectContaining({ code: 'usage', hint: 'did you mean search.limit?' }),
    );
    expect(() => settingNamed('constructor')).toThrow(/no setting "constructor"/);
    expect(settingOf('search.limit', ['8'], folders.home)).toBe(8);
    expect(settingOf('search.cold', ['a', 'b/c'], folders.home)).toEqual(['a', 'b/c']);
    expect(settingOf('wake_up.identity', ['~/me'], folders.home)).toBe(join(folders.home, 'me'));
    for (const [key, texts] of [
      ['search.limit', ['eight']],
      ['search.limit', ['1', '2']],
      ['search.cold', ['a/b/c']],
      ['search.half_life', ['']],
      ['uses', ['maybe']],
      ['privacy.rules', ['x']],
    ] as const)
      expect(() => settingOf(key, texts, folders.home)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
