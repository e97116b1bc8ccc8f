import { describe, expect, it } from 'vitest';
import { fnv1a, md5, sha256 } from '../../src/core/hash.js';

describe('hashes', () => {
  it.each([
    // Test vectors of draft-eastlake-fnv, appendix C.
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
  ])('FNV-1a of %j is %s', (text, hash) => {
    expect(fnv1a(text)).toBe(hash);
  });

  it('are those of the text in UTF-8', () => {
    expect(fnv1a('é')).not.toBe(fnv1a('\u00c3\u00a9'));
    expect(sha256('é')).toBe(sha256(Buffer.from('é')));
    // RFC 1321, A.5
    expect(md5('abc')).toBe('900150983cd24fb0d6963f7d28e17f72');
  });
});
