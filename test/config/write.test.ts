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
import { loadConfig, writeSetting } from '../../src/config/index.js';
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

  it('does not change a malformed file, or one that the value would make malformed', async () => {
    const broken = machine('serach: 1\n');
    await expect(writeSetting(broken.at, 'model', 'x')).rejects.toThrow(/no setting "serach"/);
    expect(broken.read()).toBe('serach: 1\n');
    const sound = machine('model: x\n');
    await expect(writeSetting(sound.at, 'search.limit', 0)).rejects.toThrow(/whole number/);
    expect(sound.read()).toBe('model: x\n');
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
