import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that run in less than a second each, without programs, and the smoke cases: `npm test`. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/{bench,contrib,e2e,faults,install,readme}/**',
      // Real transcripts through the real programs, and what takes many seconds: `npm run test:all` has them.
      'test/feeders/transcripts/table.test.ts',
      'test/**/*.slow.test.ts',
    ],
    pool: 'forks',
    // Most tests wait for the programs they run.
    maxWorkers: availableParallelism() + 1,
    // Against what hangs, not against a slow machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    env: { TZ: 'America/St_Johns', NO_COLOR: '1' },
  },
});
