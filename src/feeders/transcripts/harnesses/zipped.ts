import type { Harness } from '../harness.js';

/** A member that is an export's: its name is in clear, before what is compressed. */
const MEMBER = /(?:^|[^\w-])(?:conversations\.json|\d{4}-\d{2}-\d{2}\.json)/;

/** Archives of exports, which are not unpacked: nothing is to be written outside the cache, and no bomb set off. */
export const zipped: Harness = {
  name: 'zip',
  label: 'archives',
  version: 1,
  places: () => [],
  patterns: ['**/*.zip'],
  recognises: ({ path, beginning }) =>
    path.endsWith('.zip') && beginning.startsWith('PK\u0003\u0004') && MEMBER.test(beginning),
  identify() {
    throw new Error('it is a zip archive: unpack it, and mine the folder with --mode convos');
  },
  idsAreUnique: false,
  sameSession: 'newest',
  async *read() {},
};
