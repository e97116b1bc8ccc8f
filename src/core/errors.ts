/** Mapped to exit codes in `src/cli/app/exit.ts`. */
export type ErrorCode =
  | 'failed'
  | 'usage'
  | 'config'
  | 'not-found'
  /** A filter names a wing or a type that does not exist. */
  | 'no-such-name'
  /** What a preview showed is not so any more. */
  | 'changed'
  | 'unreadable'
  | 'palace-newer'
  | 'palace-damaged'
  | 'locked'
  /** A broker that the user named does not answer. */
  | 'unreachable'
  | 'interrupted';

/** An error that the user can fix: the hint says how. Any other error is reported as a bug. */
export class UserError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'UserError';
    this.code = code;
    this.hint = options.hint;
  }
}

/** `locked`, but not for a short time: waiting does not help. */
export class LockedElsewhere extends UserError {
  constructor(message: string, hint: string) {
    super('locked', message, { hint });
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** True when the error is a Node system error with this `code`, such as `ENOENT`. */
export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** True for an error of the file system or the operating system. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
