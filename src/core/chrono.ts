import { createRequire } from 'node:module';

/** Reads dates in words. Loaded on demand: it is slow to load. */
export function loadChrono(): typeof import('chrono-node/en') {
  return createRequire(import.meta.url)('chrono-node/en');
}
