import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { takeLock } from '../../src/platform/lock.js';
import { Palace } from '../../src/store/index.js';
import { TestEnv } from '../support/test-env.js';

const PROGRAM = fileURLToPath(new URL('../../bin/mempalace', import.meta.url));
/** script(1) of Linux provides a terminal. */
const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script');

async function onTerminal(env: TestEnv, args: string, more: Record<string, string> = {}): Promise<string> {
  const command = `stty cols 80; '${process.execPath}' '${PROGRAM}' ${args}`;
  const { all } = await execa('/usr/bin/script', ['-qec', command, '/dev/null'], {
    env: { ...env.env, TERM: 'xterm', ...more },
    extendEnv: false,
    stdin: 'ignore',
    all: true,
    reject: false,
  });
  return (all ?? '').replaceAll('\r', '');
}

const RED = '\u001b[31merror:\u001b[39m';

describe.skipIf(!hasTerminal)('at a terminal of 80 columns', () => {
  it('an error is red, except with NO_COLOR, --no-color, or in a pipe', async () => {
    const env = new TestEnv();
    expect(await onTerminal(env, 'show nothing')).toContain(RED);
    expect(await onTerminal(env, 'shwo')).toContain(RED);
    expect(await onTerminal(env, 'show nothing --no-color')).toMatch(/^error: /m);
    expect(await onTerminal(env, 'shwo --no-color')).toMatch(/^error: /m);
    expect(await onTerminal(env, 'show nothing', { NO_COLOR: '1' })).toMatch(/^error: /m);
    expect((await env.run('mempalace', ['show', 'nothing'])).stderr).toMatch(/^error: /);
  });

  it('words are not broken in errors, hints and doctor’s findings', async () => {
    const env = new TestEnv();
    for (const args of ['doctor', 'search', 'restore --last', 'mine . --mode other']) {
      const said = (await onTerminal(env, args)).replace(/\u001b\[[\d;]*m/g, '');
      for (const row of said.split('\n')) {
        // Only a path that is longer than a line may be broken.
        if (row.length > 80) expect(row.trim().split(' '), args).toHaveLength(1);
      }
    }
  });
});

describe('during a run', () => {
  it('status and list show it, and doctor does not suggest it; a killed run is shown as unfinished', async () => {
    const env = new TestEnv();
    const shop = env.project('shop', { 'a.md': '# A\n\nPort 8443.\n' });
    await env.json('mempalace-docs', [shop]);
    const begin = () => {
      const palace = Palace.write(
        env.palace,
        Palace.look(env.palace, ({ model }) => model),
      );
      const run = { command: 'mempalace-session', scope: '{}', narrowed: false, versions: {} };
      palace.runs.begin({ ...run, startedMs: Date.now() });
      palace.close();
    };
    begin();
    const lock = await takeLock(join(env.palace, 'run.lock'), 'mempalace-session', 0);
    begin();
    const { stdout } = await env.run('mempalace', ['status']);
    expect(stdout).toMatch(/mempalace-session {2}never {2}\(running now\)/);
    expect(stdout).toMatch(/mempalace-session {2}running\n.*mempalace-session {2}did not end/);
    expect((await env.run('mempalace', ['list', 'runs'])).stdout).toMatch(/running\s*\n.*did not end/);
    expect((await env.json('mempalace', ['status'])).runs).toMatchObject([
      { running: true, exit_code: null },
      { running: false, exit_code: null },
      { running: false, exit_code: 0 },
    ]);
    const during = await env.run('mempalace', ['doctor']);
    expect(during.stdout).toContain('mempalace-session: running since');
    lock.release();
    expect((await env.run('mempalace', ['doctor'])).stdout).toContain(
      'mempalace-session has never succeeded',
    );
  });
});

describe('doctor does not suggest', () => {
  it('writing the PATH line again, before a new terminal is open', async () => {
    const env = new TestEnv();
    const bin = join(env.home, '.local/bin');
    mkdirSync(bin, { recursive: true });
    for (const name of ['mempalace', 'mempalace-docs', 'mempalace-mcp', 'mempalace-session'])
      await execa('ln', ['-s', join(PROGRAM, '..', name), join(bin, name)]);
    expect((await env.run('mempalace', ['doctor'])).stdout).toContain('install.sh --path');
    writeFileSync(join(env.home, '.bashrc'), 'export PATH="$HOME/.local/bin:$PATH" # mempalace-toolkit\n');
    const { stdout } = await env.run('mempalace', ['doctor']);
    expect(stdout).not.toContain('install.sh --path');
    expect(stdout).toContain(`open a new terminal: ${env.home}/.bashrc has the line`);
  });

  it('filing sessions where opencode is not installed', async () => {
    const { stdout } = await new TestEnv().run('mempalace', ['doctor']);
    expect(stdout).toContain('→ mempalace-docs <dir> makes it');
  });
});
