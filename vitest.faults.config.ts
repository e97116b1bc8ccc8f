import { defineConfig } from 'vitest/config';
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
    env: { ...quick.test?.env, MEMPALACE_TEST_FAULTS: 'all' },
  },
});
