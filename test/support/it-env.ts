import { test } from 'vitest';
import { TestEnv } from './test-env.js';

/** A test of the built programs, which may take a separate machine. Apart, because tests of the sources need no build. */
export const it = test.extend('env', () => new TestEnv());
