import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './palace.js';
import type { TestEnv } from './test-env.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The machine, with programs of another version of the toolkit: a copy of this one. */
export function withVersion(version: string, env: TestEnv): TestEnv {
  const folder = temporaryFolder();
  for (const part of ['bin', 'dist', 'scripts'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  for (const part of ['models', 'node_modules']) symlinkSync(join(ROOT, part), join(folder, part));
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  writeFileSync(
    join(folder, 'package.json'),
    manifest.replace(/"version": "[^"]+"/, `"version": "${version}"`),
  );
  return Object.assign(Object.create(env), { argv: (program: string) => [join(folder, 'bin', program)] });
}
