import { rmSync } from 'node:fs';

/** What the current test has to remove, closed or stopped at its end; test/support/set-up.ts runs it. */
const cleanups: (() => unknown)[] = [];

/** Runs `cleanup` after the test, the last one first. Files share their modules, so a hook of this module would not do. */
export function afterTest(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Runs the cleanups of the test that ended; all of them, also if one fails. */
export async function cleanUp(): Promise<void> {
  const failures: unknown[] = [];
  for (const cleanup of cleanups.splice(0).reverse()) {
    try {
      await cleanup();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Removes a folder and all in it: again for some seconds while a program that was just killed still writes there. */
export function removeFolder(path: string): void {
  for (let rest = 40; ; rest -= 1) {
    try {
      // Its own retries do not remove what was written meanwhile.
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (rest === 0 || !['ENOTEMPTY', 'EBUSY'].includes(String(Object(error).code))) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}
