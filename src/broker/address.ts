import { createHash } from 'node:crypto';
import { isAbsolute, join } from 'node:path';

/** Longest path of a socket, bytes. Node cuts a longer one silently (107 on Linux, 103 on macOS). */
export const LONGEST_PATH = 100;
const DIGITS = 16;

/**
 * The socket of a palace's broker, in a folder that belongs to the user alone. It depends on the build, so that a client
 * never meets a broker of another build by accident.
 *
 * @param palace real path
 * @returns undefined where the path would be too long
 */
export function socketPath(
  palace: string,
  build: string,
  { env, home }: { env: NodeJS.ProcessEnv; home: string },
): string | undefined {
  const { XDG_RUNTIME_DIR: runtime = '' } = env;
  const folder = isAbsolute(runtime) ? join(runtime, 'mempalace') : join(home, '.mempalace', 'run');
  const path = join(folder, `${digest(palace)}-${build}.sock`);
  return Buffer.byteLength(path) <= LONGEST_PATH ? path : undefined;
}

/** The beginning of a SHA-256, 16 hexadecimal digits, for the names of files. */
export const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
