import { Readable, Writable } from 'node:stream';
import { run } from '../../src/cli/start.js';
import type { TestEnv } from './test-env.js';

/** What `mempalace` prints at a terminal, on both of its streams. */
export async function atTerminal(env: TestEnv, args: readonly string[], columns: number) {
  let printed = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      printed += chunk;
      done();
    },
  });
  // So high that nothing is long enough for a pager.
  const terminal = Object.assign(stream, { isTTY: true, columns, rows: 1_000 });
  const io = { stdin: Readable.from([]), stdout: terminal, stderr: terminal, env: env.env };
  const exitCode = await run('mempalace', args, io);
  return { exitCode, printed };
}
