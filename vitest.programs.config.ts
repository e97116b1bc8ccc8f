import { defineConfig } from 'vitest/config';
import quick, { PROGRAMS } from './vitest.config.js';

/** What `npm test` leaves out, but the long ones of `npm run test:faults`, which also runs the rest of test/faults in full. */
export default defineConfig({
  test: { ...quick.test, include: PROGRAMS, exclude: ['test/faults/long/**'] },
});
