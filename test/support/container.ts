import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** Processes, mounts, a host name and a network of their own, as in a container. */
export interface Container {
  /** Begins a command line that is run inside, as `docker exec`. */
  within: readonly string[];
  /** Runs a program inside. @throws Error if it fails */
  run(...command: readonly string[]): string;
  /** Kills all processes inside; they are gone then. */
  kill(): Promise<void>;
}

const UNSHARE = ['--mount', '--pid', '--uts', '--net', '--fork', '--mount-proc'];

/** Whether this machine can make containers; the names of tests that need one say so. */
export const canContain =
  process.platform === 'linux' &&
  process.geteuid?.() === 0 &&
  spawnSync('unshare', [...UNSHARE, 'sh', '-c', 'hostname box && ip link set lo up']).status === 0;

/** A container that exists until the end of the test. */
export async function container(name: string): Promise<Container> {
  const init = spawn('unshare', [...UNSHARE, 'sleep', 'infinity'], { stdio: 'ignore' });
  const children = `/proc/${init.pid}/task/${init.pid}/children`;
  let pid = 0;
  // `unshare` becomes the parent of the first process inside.
  while (pid === 0 || readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'sleep\n') {
    await sleep(10);
    pid = Number(readFileSync(children, 'utf8').trim());
  }
  const within = ['nsenter', '--target', String(pid), '--mount', '--pid', '--uts', '--net'];
  const run = (...command: readonly string[]): string =>
    execFileSync('nsenter', [...within.slice(1), ...command], { encoding: 'utf8' });
  const ended = new Promise<void>((resolve) => init.once('exit', () => resolve()));
  const kill = (): Promise<void> => {
    // The kernel kills the others with the first process, and reports its end when they are gone.
    if (init.exitCode === null) spawnSync('kill', ['-9', String(pid)]);
    return ended;
  };
  onTestFinished(kill);
  run('hostname', name);
  return { within, run, kill };
}

/** Connects a container with this machine. @returns the address of this machine in their network */
export function networkOf({ within }: Container): string {
  const pid = within[2] ?? '';
  // Unlike those of other tests that run now.
  const [link, net] = [`mp${pid}`, `10.${200 + (Number(pid) % 50)}.${Number(pid) % 250}`];
  const ip = (...args: readonly string[]): void => void execFileSync('ip', args);
  const inside = (...args: readonly string[]): void =>
    void execFileSync('nsenter', ['-t', pid, '-n', 'ip', ...args]);
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid);
  onTestFinished(() => void spawnSync('ip', ['link', 'del', link]));
  ip('addr', 'add', `${net}.1/24`, 'dev', link);
  ip('link', 'set', link, 'up');
  inside('addr', 'add', `${net}.2/24`, 'dev', 'eth0');
  inside('link', 'set', 'eth0', 'up');
  return `${net}.1`;
}
