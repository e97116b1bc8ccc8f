/** How requests are read, and how long they may take. */
import { UserError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { bytesWithin } from '../platform/body.js';

/** No action needs more. */
const MOST_BYTES = 256 * 1024;
/** Longest duration of a call, milliseconds. */
const CALL_MS = 50_000;

/** An error of a request itself, with its HTTP status. */
export class Refusal extends UserError {
  constructor(
    readonly status: number,
    message: string,
    hint?: string,
  ) {
    super('usage', message, { hint });
  }
}

/**
 * Reads the JSON of a request.
 *
 * @throws Refusal 415 for another type: a form of a foreign page can send those; 413 when it is too long; 400
 */
export async function bodyOf({ headers, body }: Request): Promise<unknown> {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw new Refusal(415, 'the content type must be application/json');
  const bytes = await bytesWithin(body, MOST_BYTES);
  if (bytes === undefined) throw new Refusal(413, `the request is longer than ${MOST_BYTES} bytes`);
  const value = parseJson(bytes.toString('utf8'));
  if (value === undefined) throw new Refusal(400, 'the request is not JSON');
  return value;
}

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
