import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { removeFolder } from './cleanups.js';
import { keepHome } from './kills.js';
import { TestEnv } from './test-env.js';

/**
 * A machine filled by the real programs, built once per test file and given to each test in its original
 * state: the same paths, times and modes. Call it where the file declares its tests.
 *
 * @returns a function that returns the machine with the result of `build`
 */
export function builtOnce<T>(build: (env: TestEnv) => Promise<T>): () => Promise<{ env: TestEnv; built: T }> {
  let parent: string | undefined;
  let ready: Promise<{ built: T; reset: () => void }> | undefined;
  afterAll(() => {
    if (parent !== undefined) removeFolder(parent);
  });
  return async () => {
    parent ??= mkdtempSync(join(tmpdir(), 'mempalace-test-'));
    const env = new TestEnv(parent);
    if (ready === undefined) {
      ready = build(env).then((built) => ({ built, reset: keepHome(env) }));
      return { env, built: (await ready).built };
    }
    const { built, reset } = await ready;
    reset();
    return { env, built };
  };
}
