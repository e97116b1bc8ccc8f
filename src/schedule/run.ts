import { UserError } from '../core/errors.js';
import type { Ran, Run } from './types.js';

const MOST_MS = 30_000;

/** Runs a scheduler's program in UTC and English, since its output is parsed. */
export function runnerFor(env: NodeJS.ProcessEnv): Run {
  return async (program, args, input): Promise<Ran> => {
    // execa takes 60 ms to load, and `mempalace status` usually runs no program.
    const { execa } = await import('execa');
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

/** Runs a scheduler's program that must succeed. @throws UserError `failed` with its error message */
export async function must(
  run: Run,
  program: string,
  args: readonly string[],
  hint: string,
  input?: string,
): Promise<void> {
  const answer = await run(program, args, input);
  if (answer.exitCode === 0) return;
  throw new UserError('failed', `${program} ${args.join(' ')}: ${complaintOf(answer)}`, { hint });
}

/** The first line of a program's error message. */
export function complaintOf({ stderr, stdout }: Ran): string {
  const text = stderr.trim() === '' ? stdout : stderr;
  return text.trim().split('\n')[0]?.trim() ?? '';
}
