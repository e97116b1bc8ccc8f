import { UserError } from '../core/errors.js';

/** Longest duration of a call, milliseconds. */
const CALL_MS = 50_000;

/** @throws UserError `interrupted` when the work takes too long; as `work` */
export async function withDeadline<T>(
  gone: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new UserError('interrupted', `it took longer than ${CALL_MS / 1000} s`)),
    CALL_MS,
  );
  try {
    return await work(AbortSignal.any([gone, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
