import { parseJson } from '../core/json.js';
import { bytesWithin } from '../platform/body.js';
import { Refusal } from './refusal.js';

/** No action needs more. */
const MOST_BYTES = 256 * 1024;

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
