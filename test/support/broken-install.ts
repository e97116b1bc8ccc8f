import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { temporaryFolder } from './palace.js';
import type { Outcome, TestEnv } from './test-env.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * A copy of the installation, to be broken: programs, build and models are copied, packages are links, except those
 * named here: `copied` ones can be changed, `missing` ones are left out.
 *
 * @returns its folder
 */
export function installedCopy({
  copied = [],
  missing = [],
}: {
  copied?: string[];
  missing?: string[];
} = {}): string {
  const root = join(temporaryFolder(), 'installed');
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  for (const name of ['bin', 'dist', 'models', 'package.json', 'install.sh'])
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    const [from, to] = [join(ROOT, 'node_modules', name), join(root, 'node_modules', name)];
    if (copied.includes(name)) cpSync(from, to, { recursive: true, dereference: true });
    else if (!missing.includes(name)) symlinkSync(from, to);
  }
  return root;
}

/** Runs a program of such a copy. */
export async function runFrom(root: string, env: TestEnv, args: readonly string[]): Promise<Outcome> {
  const { stdout, stderr, exitCode } = await execa(
    process.execPath,
    [join(root, 'bin', 'mempalace'), ...args],
    {
      env: env.env,
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    },
  );
  return { stdout, stderr, exitCode };
}
