import { describe, expect, it } from 'vitest';
import { Roots } from '../../src/mcp/roots.js';

function folders(...uris: string[]): Promise<readonly string[]> {
  return new Roots({
    getClientCapabilities: () => ({ roots: {} }),
    listRoots: () => Promise.resolve({ roots: uris.map((uri) => ({ uri })) }),
  }).folders();
}

describe('roots of a client', () => {
  it('are paths, with the characters that a URI encodes', async () => {
    expect(await folders('file:///home/dev/my%20shop', 'FILE:///t%C3%BCte', 'file://localhost/a b')).toEqual([
      '/home/dev/my shop',
      '/tüte',
      '/a b',
    ]);
  });

  it('that name no path of this machine do not hide the others', async () => {
    const foreign = [
      'https://example.org/shop',
      'file://host/shop',
      'file:///a%2Fb',
      'file:///%E0%A4%A',
      'shop',
      '',
    ];
    expect(await folders(...foreign, 'file:///shop', ...foreign)).toEqual(['/shop']);
    expect(await folders(...foreign)).toEqual([]);
  });
});
