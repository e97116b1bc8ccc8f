import { test } from 'vitest';
import { TestEnv } from './test-env.js';

/** A test of programs, which may take a separate machine. */
export const it = test.extend('env', () => new TestEnv());
