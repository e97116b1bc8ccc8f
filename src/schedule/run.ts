import { execa } from 'execa';
import type { Ran, Run } from './types.js';

/** No scheduler takes that long to answer. */
const MOST_MS = 30_000;

/** Runs a scheduler's program with times in UTC and messages in English, as they are read here. */
export function runnerFor(env: NodeJS.ProcessEnv): Run {
  return async (program, args, input): Promise<Ran> => {
    const { exitCode, stdout, stderr, code } = await execa(program, [...args], {
      env: { ...env, LC_ALL: 'C', LANGUAGE: 'C', TZ: 'UTC', SYSTEMD_PAGER: '', SYSTEMD_COLORS: '0' },
      extendEnv: false,
      reject: false,
      timeout: MOST_MS,
      stripFinalNewline: false,
      ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
    });
    if (code === 'ENOENT') return { exitCode: undefined, stdout: '', stderr: '' };
    return { exitCode: exitCode ?? 1, stdout, stderr };
  };
}

/** What a program complained of, on one line. */
export function complaintOf({ stderr, stdout }: Ran): string {
  const text = stderr.trim() === '' ? stdout : stderr;
  return text.trim().split('\n')[0]?.trim() ?? '';
}
