import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { completionLines } from '../../src/cli/reference/complete.js';
import { sharedFiles } from '../../src/cli/reference/index.js';
import { builtProgram } from '../../src/cli/reference/manifest.js';
import { SHELLS } from '../../src/cli/reference/shells.js';
import { TestEnv } from '../support/test-env.js';
import { has } from '../support/tools.js';

const SHARE = new URL('../../dist/share/', import.meta.url);
const PROGRAMS = ['mempalace', 'mempalace-docs', 'mempalace-session'];

it('the build puts completions and man pages where systems look for them', async () => {
  for (const [path, text] of await sharedFiles(new Date(0))) {
    const built = readFileSync(new URL(path, SHARE), 'utf8');
    expect(built.replace(/^\.Dd .*$/m, ''), path).toBe(text.replace(/^\.Dd .*$/m, ''));
  }
  expect(readFileSync(new URL('man/man1/mempalace-search.1', SHARE), 'utf8')).toMatch(
    /^\.Dd \w+ \d+, 2\d{3}$/m,
  );
});

it.each(SHELLS)('mempalace completion %s prints what the build wrote, for all programs', async (shell) => {
  const { stdout, stderr, exitCode } = await new TestEnv().run('mempalace', ['completion', shell]);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  const folder = {
    bash: 'bash-completion/completions/',
    zsh: 'zsh/site-functions/_',
    fish: 'fish/vendor_completions.d/',
  };
  for (const program of PROGRAMS) {
    const file = `${folder[shell]}${program}${shell === 'fish' ? '.fish' : ''}`;
    expect(stdout).toContain(readFileSync(new URL(file, SHARE), 'utf8').trimEnd());
  }
});

it.skipIf(!has('bash'))('bash evaluates it for all programs (skipped without bash)', async () => {
  const { stdout } = await new TestEnv().run('mempalace', ['completion', 'bash']);
  const bash = spawnSync('bash', ['--norc', '-c', 'eval "$1" && complete -p', 'bash', stdout], {
    encoding: 'utf8',
  });
  expect(bash).toMatchObject({ stderr: '', status: 0 });
  for (const program of PROGRAMS) expect(bash.stdout).toMatch(new RegExp(`^complete .* ${program}$`, 'm'));
});

it('a shell asks the program, which answers nothing where it does not know', async () => {
  const env = new TestEnv();
  const ask = async (...words: string[]) => (await env.run('mempalace', ['__complete', ...words])).stdout;
  expect(await ask('mempalace', 'kg', 'ad')).toContain('add\t');
  expect(await ask('mempalace-docs', '')).toBe(':folder');
  expect(await ask('mempalace-mcp', '--read')).toContain('--read-only\t');
  expect(await ask('no-such-program', '')).toBe('');
  expect(await ask()).toBe('');
});

it('names that the palace stores are offered, and no error where it has none', async () => {
  const env = new TestEnv();
  const ask = async (...words: string[]) =>
    (await env.run('mempalace', ['__complete', 'mempalace', ...words])).stdout;
  const none = env.fingerprint();
  expect(await ask('search', '--wing', '')).toBe('');
  expect(env.fingerprint()).toBe(none);
  await env.json('mempalace-docs', [env.project('bücher', { 'docs/a.md': '# A\n' })]);
  await env.json('mempalace', ['diary', 'write', '--agent', 'opencode', 'Done.']);
  for (const name of ['money', 'two words'])
    await env.json('mempalace', ['collection', 'add', name, '--query', 'a']);
  expect(await ask('search', '--wing', '')).toBe('wing_bücher\t\nwing_opencode\t');
  expect(await ask('search', '--wing=wing_o')).toBe('--wing=wing_opencode\t');
  expect(await ask('search', '--room', 'do')).toBe('docs\t');
  expect(await ask('diary', 'read', '--agent', '')).toBe('opencode\t');
  // Names with signs that a shell reads are not offered.
  expect(await ask('collection', 'show', '')).toBe('money\t');
  const hostile = [
    '$(touch x)',
    "it's",
    'a b',
    'a:b',
    'a;b',
    '`x`',
    '-x',
    '~x',
    'a\nb',
    'a\u001b[2K',
    '*',
    'a"',
    '日本',
  ];
  const program = builtProgram('mempalace');
  expect(program && completionLines(program, ['search', '--room', ''], hostile)).toBe('日本\t\n');
});

it('an unknown shell is a usage error, and changes nothing', async () => {
  const env = new TestEnv();
  const before = env.fingerprint();
  const { stdout, stderr, exitCode } = await env.run('mempalace', ['completion', 'tcsh']);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain('is not one of bash, zsh, fish');
  expect(env.fingerprint()).toBe(before);
});
