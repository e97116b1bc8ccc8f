import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProjectConfig } from '../../../src/feeders/docs/config.js';
import { layoutFiles, makeLayout, missingFiles } from '../../../src/feeders/docs/palace-layout.js';
import { temporaryFolder } from '../../support/palace.js';

describe('the layout of a palace of files', () => {
  it('is made once, and maps its folders to rooms', async () => {
    const root = join(temporaryFolder(), 'palace');
    expect(makeLayout(root, 'wing_palace')).toEqual(layoutFiles());
    expect(missingFiles(root)).toEqual([]);
    expect(makeLayout(root, 'another')).toEqual([]);
    const config = await readProjectConfig(root);
    expect(config?.wing).toBe('wing_palace');
    expect(config?.rooms.filter(({ cold }) => cold).map(({ name }) => name)).toEqual(['archive_basement']);
    expect(config?.rooms.filter(({ byFolder }) => byFolder).map(({ name }) => name)).toEqual(['chambers']);
  });

  it('leaves what exists as it is', () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'chambers'));
    writeFileSync(join(root, 'chambers/README.md'), 'mine\n');
    writeFileSync(join(root, 'mempalace.yaml'), 'wing: mine\n');
    const made = makeLayout(root, 'wing_palace');
    expect(made).toHaveLength(layoutFiles().length - 2);
    expect(readFileSync(join(root, 'chambers/README.md'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(root, 'mempalace.yaml'), 'utf8')).toBe('wing: mine\n');
  });

  it('writes nothing through a link', () => {
    const [root, elsewhere] = [temporaryFolder(), temporaryFolder()];
    symlinkSync(elsewhere, join(root, 'reflection_wing'));
    expect(() => makeLayout(root, 'wing_palace')).toThrow('is not a folder');
    expect(existsSync(join(elsewhere, 'README.md'))).toBe(false);
    expect(existsSync(join(root, 'grand_hall'))).toBe(false);
  });
});
