import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { environment } from './test/support/environment.js';
import quick from './vitest.config.js';

/** The whole fault suite: what `npm run test:all` runs of it with small numbers, in full, and the long ones. */
export default defineConfig({
  test: {
    ...quick.test,
    isolate: true,
    include: ['test/faults/**/*.test.ts'],
    exclude: [],
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    // On the disk: kills and full disks are what this is about.
    env: { ...environment(tmpdir()), MEMPALACE_TEST_FAULTS: 'all' },
  },
});
