import { test } from 'vitest';
import { temporaryFolder, temporaryPalace } from './palace.js';

/** A test that may take a new folder, and a new palace; both end with it. */
export const it = test.extend('folder', () => temporaryFolder()).extend('palace', () => temporaryPalace());
