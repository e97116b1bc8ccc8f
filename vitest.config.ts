import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What takes minutes is for `npm run test:faults`, which runs the rest of test/faults in full, too.
    exclude: ['test/faults/long/**'],
    pool: 'forks',
    // Most tests wait for the programs they run.
    maxWorkers: availableParallelism() + 1,
    // Against what hangs, not against a slow machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    env: { TZ: 'America/St_Johns', NO_COLOR: '1' },
  },
});
