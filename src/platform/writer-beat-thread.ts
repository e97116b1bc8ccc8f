import { workerData } from 'node:worker_threads';
import { BEAT_MS, beat } from './writer-beat.js';

/**
 * A thread, since a program that rebuilds an index does nothing else for seconds. It is not joined with other modules: a package
 * contains this file and the one it imports.
 */
const file = String(workerData);
setInterval(() => beat(file), BEAT_MS);
