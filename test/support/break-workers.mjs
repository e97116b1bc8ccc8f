// Loaded into a server (NODE_OPTIONS=--import=…): SIGUSR2 ends its worker threads as a crash does, and with
// FIRST_WORKER_MB the first of them gets so little memory that it ends by itself.
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

if (threads.isMainThread) {
  const alive = new Set();
  const megabytes = Number(process.env.FIRST_WORKER_MB ?? 0);
  let first = true;
  threads.Worker = class extends threads.Worker {
    constructor(file, options) {
      const limits = first && megabytes > 0 ? { resourceLimits: { maxOldGenerationSizeMb: megabytes } } : {};
      super(file, { ...options, ...limits });
      first = false;
      alive.add(this);
      this.once('exit', () => alive.delete(this));
    }
  };
  syncBuiltinESMExports();
  process.on('SIGUSR2', () => {
    for (const worker of alive) void worker.terminate();
  });
}
