/** What went wrong, in the vocabulary of the exit-code table (`src/cli/app/exit.ts`). */
export type ErrorCode =
  | 'failed'
  | 'usage'
  | 'config'
  | 'not-found'
  | 'unreadable'
  | 'palace-newer'
  | 'palace-damaged'
  | 'locked'
  | 'interrupted';

/**
 * An error that a person can act on: the message says what happened, the hint what to do next.
 * Everything that is not a `UserError` is a bug and is reported as one.
 */
export class UserError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'UserError';
    this.code = code;
    this.hint = options.hint;
  }
}

/** The message of whatever was thrown, without a stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** True when the error is a Node system error with this `code`, such as `ENOENT`. */
export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** True when the file system or the operating system refused something. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
