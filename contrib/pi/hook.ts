import { spawn } from 'node:child_process';

/** Longer than a hook ever takes: after this it is killed, and pi continues without it. */
const LIMIT_MS = 5_000;

export type HookName = 'session-start' | 'stop' | 'precompact' | 'session-end';

/** The answer to `session-start`. */
export interface HookAnswer {
  context?: unknown;
  /** Why there is no context, unless there is just no palace. */
  trouble?: unknown;
}

/** Runs `mempalace hook run`; resolves to its answer, whatever happens. */
export function runHook(
  command: string,
  name: HookName,
  input: Record<string, string | undefined>,
): Promise<HookAnswer> {
  return new Promise((resolve) => {
    try {
      const child = spawn(command, ['hook', 'run', '--hook', name, '--harness', 'pi'], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
      let text = '';
      child.stdout.setEncoding('utf8');
      child.stdout.on('data', (piece: string) => {
        text += piece;
      });
      child.on('error', (error) => {
        clearTimeout(timer);
        resolve({ trouble: error.message });
      });
      child.on('close', () => {
        clearTimeout(timer);
        resolve(answerOf(text));
      });
      child.stdin.on('error', () => {});
      child.stdin.end(JSON.stringify(input));
    } catch (error) {
      resolve({ trouble: error instanceof Error ? error.message : String(error) });
    }
  });
}

function answerOf(text: string): HookAnswer {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch {
    return { trouble: 'mempalace hook run gave no answer (mempalace doctor tells more)' };
  }
}
