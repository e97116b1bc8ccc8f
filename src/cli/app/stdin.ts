import { addAbortSignal } from 'node:stream';
import { UserError } from '../../core/errors.js';
import type { BareContext } from './runner.js';

/** Far longer than any text that is written; keeps a file given by mistake out of memory. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The text that is piped in.
 *
 * @param hint for a user at a terminal
 * @throws UserError `usage` at a terminal, and for more than 16 MB
 */
export async function readPiped(
  { terminal, signal }: Pick<BareContext, 'terminal' | 'signal'>,
  what: string,
  hint: string,
): Promise<string> {
  const { stdin } = terminal.io;
  if (stdin.isTTY) throw new UserError('usage', `there is no ${what} to write`, { hint });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of addAbortSignal(signal, stdin)) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > MOST_BYTES)
      throw new UserError('usage', `the ${what} is longer than ${MOST_BYTES / 1024 / 1024} MB`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
