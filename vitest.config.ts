import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { environment } from './test/support/environment.js';

/** Tests that run programs or the real model, or take many seconds each: `npm run test:programs`. */
export const PROGRAMS = [
  'test/{bench,contrib,e2e,faults,install,pi,readme}/**/*.test.ts',
  // Real transcripts through the real programs.
  'test/feeders/transcripts/table.test.ts',
  'test/**/*.slow.test.ts',
];

/** Unit tests, and a smoke case per program: `npm test`. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: PROGRAMS,
    pool: 'forks',
    // Half of the time would go into importing the same modules for each file.
    isolate: false,
    // Most tests wait for the programs they run.
    maxWorkers: availableParallelism() + 1,
    // Against what hangs, not against a slow machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    setupFiles: ['test/support/set-up.ts'],
    env: environment(),
    // node loads the built programs itself.
    server: { deps: { external: [/\/dist\//] } },
  },
});
