import { describe, expect, it } from 'vitest';
import { searchConfig } from '../../../../src/cli/commands/search/config.js';
import { loadConfig } from '../../../../src/config/index.js';
import { resolveFolders } from '../../../../src/platform/folders.js';
import { temporaryFolder } from '../../../support/palace.js';

describe('a folder to search', () => {
  it('can be relative to the working folder or to HOME', async () => {
    const { search } = await loadConfig({ env: {}, folders: resolveFolders({ HOME: temporaryFolder() }) });
    const folder = (directory: string) =>
      searchConfig({ color: true, pager: true, directory }, search, '/home/dev').filter.directory;
    expect(folder('docs/..')).toBe(process.cwd());
    expect(folder('~/shop')).toBe('/home/dev/shop');
    expect(folder('/srv/')).toBe('/srv');
  });
});
