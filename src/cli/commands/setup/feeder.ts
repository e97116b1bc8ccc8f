import { UserError } from '../../../core/errors.js';
import { inPackage } from '../../../platform/in-package.js';
import { EXIT } from '../../app/exit.js';
import type { CommandContext } from '../../app/runner.js';

/**
 * Runs a feeder in its own process. At a terminal it prints there.
 *
 * @returns what was held back, if something was
 * @throws UserError `failed` or `interrupted`
 */
export async function runFeeder(
  name: 'mempalace-session' | 'mempalace-docs',
  args: readonly string[],
  { terminal, env, signal }: CommandContext,
): Promise<string | undefined> {
  const { execa } = await import('execa');
  const { quiet, json } = terminal.options;
  const prints = terminal.io.stdout === process.stdout && !json;
  const words = [inPackage(`bin/${name}`), ...args, ...(quiet || !prints ? ['--quiet'] : [])];
  const running = execa(process.execPath, words, {
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    stdout: prints ? 'inherit' : 'pipe',
    stderr: prints ? 'inherit' : 'pipe',
  });
  // Ctrl-C reaches both processes.
  const pass = () => running.kill('SIGTERM');
  process.once('SIGTERM', pass);
  const ran = await running.finally(() => process.off('SIGTERM', pass));
  if (signal.aborted) throw new UserError('interrupted', 'interrupted', { hint: 'finished steps are kept' });
  if (ran.exitCode === EXIT.done) return undefined;
  if (ran.exitCode === EXIT.incomplete) return `something was held back: ${name} names it`;
  const said =
    typeof ran.stderr === 'string' ? ran.stderr.split('\n').find((text) => text !== '') : undefined;
  throw new UserError(
    'failed',
    said?.replace(/^error: /, '') ?? `${name} ended with ${ran.exitCode ?? ran.signal}`,
  );
}
