import { describe, expect, it } from 'vitest';
import { networkFileSystem } from '../../../src/store/db/file-system.js';
import { temporaryFolder } from '../../support/palace.js';

describe('a file system', () => {
  it.each([
    ['NFS', 0x6969],
    ['SMB', 0xff534d42],
    ['SMB', 0xfe534d42],
    ['9p', 0x01021997],
    ['FUSE', 0x65735546],
    ['VirtualBox shared folder', 0x786f4256],
  ])('of another machine is recognised by its type: %s', (kind, type) => {
    expect(networkFileSystem('/anywhere', () => type)).toBe(kind);
  });

  it.each([
    ['ext4', 0xef53],
    ['tmpfs', 0x01021994],
    ['btrfs', 0x9123683e],
    ['overlay', 0x794c7630],
    ['one that cannot be told', undefined],
  ])('of this machine is local: %s', (_, type) => {
    expect(networkFileSystem('/anywhere', () => type)).toBeUndefined();
  });

  it('is determined for real paths, even missing ones', () => {
    expect(networkFileSystem(temporaryFolder())).toBeUndefined();
    expect(networkFileSystem('/nowhere/at/all')).toBeUndefined();
  });
});
