import { defineConfig } from 'vitest/config';
import quick from './vitest.config.js';

/** Every test but the long ones of `npm run test:faults`, which also runs the rest of test/faults in full. */
export default defineConfig({
  test: { ...quick.test, exclude: ['test/faults/long/**'] },
});
