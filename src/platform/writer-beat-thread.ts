import { workerData } from 'node:worker_threads';
import { BEAT_MS, beat } from './writer-beat.js';

/** A thread, since a program that rebuilds an index does nothing else for seconds. */
const file = String(workerData);
setInterval(() => beat(file), BEAT_MS);
