/**
 * Environment for a program in which SQLite waits for a lock at most this number of milliseconds in total,
 * instead of the program's own timeout; then it returns SQLITE_BUSY. Only time in which SQLite sleeps
 * counts, so that a slow machine does not look like a lock.
 */
export function waitingAtMost(milliseconds: number): Record<string, string> {
  return preload(`
    import { createRequire } from 'node:module';
    const require = createRequire(process.argv[1] ?? import.meta.url);
    const path = require.resolve('better-sqlite3');
    const Database = require(path);
    const impatient = new Proxy(Database, {
      construct: (target, [file, options]) =>
        new target(file, { ...options, timeout: Math.min(options?.timeout ?? 5000, ${milliseconds}) }),
    });
    require.cache[path].exports = impatient;`);
}

/** Environment for a program with a clock that is wrong by this number of milliseconds. */
export function clockOffBy(milliseconds: number): Record<string, string> {
  return preload(`
    const Real = Date;
    globalThis.Date = class Date extends Real {
      constructor(...parts) { super(...(parts.length === 0 ? [Real.now() + ${milliseconds}] : parts)); }
      static now() { return Real.now() + ${milliseconds}; }
    };`);
}

/** Environment in which a program, or one that it starts, writes its priority into a file when it ends. */
export function tellingPriority(program: string, file: string): Record<string, string> {
  return preload(`
    import { writeFileSync } from 'node:fs';
    import { getPriority } from 'node:os';
    process.on('exit', () => {
      if (process.argv[1]?.endsWith('/${program}')) writeFileSync(${JSON.stringify(file)}, String(getPriority()));
    });`);
}

function preload(code: string): Record<string, string> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}
