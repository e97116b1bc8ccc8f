import { spawnSync } from 'node:child_process';

/** Whether this machine has a program. */
export function has(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0;
}
