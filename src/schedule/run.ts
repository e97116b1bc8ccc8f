import { UserError } from '../core/errors.js';
import type { Ran, Run } from './types.js';

/** No scheduler takes that long to answer. */
const MOST_MS = 30_000;

/** Runs a scheduler's program with times in UTC and messages in English, as they are read here. */
export function runnerFor(env: NodeJS.ProcessEnv): Run {
  return async (program, args, input): Promise<Ran> => {
    // It takes 60 ms to load, and `mempalace status` starts no program as a rule.
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

/**
 * Runs a scheduler's program that has to succeed.
 *
 * @throws UserError `failed` with what it complained of
 */
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

/** What a program complained of, on one line. */
export function complaintOf({ stderr, stdout }: Ran): string {
  const text = stderr.trim() === '' ? stdout : stderr;
  return text.trim().split('\n')[0]?.trim() ?? '';
}
