import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort, untilListening } from './ports.js';
import type { TestEnv } from './test-env.js';
import { has } from './tools.js';

const SSHD = '/usr/sbin/sshd';

/** Whether this machine can run an SSH server; the names of tests that need one say so. */
export const canServeSsh =
  process.geteuid?.() === 0 && has('ssh') && has('ssh-keygen') && spawnSync(SSHD, ['-V']).error === undefined;

/**
 * Lets another machine reach this one as `ssh host`: a real server on loopback, with a key of its own. It ends with the
 * test.
 *
 * @param bin the folder of the toolkit's programs, on PATH of a session
 */
export async function reachable(from: TestEnv, to: TestEnv, bin: string): Promise<void> {
  const folder = from.project('ssh', {});
  chmodSync(folder, 0o700);
  mkdirSync('/run/sshd', { recursive: true });
  for (const key of ['server', 'client'])
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, key)]);
  const port = await freePort();
  const config = join(folder, 'sshd_config');
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(folder, 'server')}`,
    `AuthorizedKeysFile ${join(folder, 'client.pub')}`,
    'PasswordAuthentication no',
    'StrictModes no',
    'PidFile none',
    `SetEnv HOME=${to.home} PATH=${bin}:${to.env.PATH} MEMPALACE_BROKER=auto`,
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const server = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: 'ignore' });
  onTestFinished(() => void server.kill('SIGTERM'));
  await untilListening(port);
  const client = [
    'Host host',
    'HostName 127.0.0.1',
    `Port ${port}`,
    `IdentityFile ${join(folder, 'client')}`,
    'IdentitiesOnly yes',
    'StrictHostKeyChecking no',
    'UserKnownHostsFile /dev/null',
    'LogLevel ERROR',
  ];
  writeFileSync(join(folder, 'config'), `${client.join('\n')}\n`);
  // ssh reads the configuration of the account, not that of HOME.
  const real = String(spawnSync('sh', ['-c', 'command -v ssh']).stdout).trim();
  const programs = from.project('programs', { ssh: `#!/bin/sh\nexec ${real} -F '${folder}/config' "$@"\n` });
  chmodSync(join(programs, 'ssh'), 0o755);
  from.env.PATH = `${programs}:${from.env.PATH}`;
}
