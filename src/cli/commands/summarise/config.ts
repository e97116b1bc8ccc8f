import { type ChatAddress, chatAddress } from '../../../chat/index.js';
import type { Config } from '../../../config/index.js';
import { UserError } from '../../../core/errors.js';
import { SUMMARY_TOKENS } from '../../../knowledge/summaries/index.js';

/** What the instructions take of the context, tokens. */
const INSTRUCTIONS = 200;
/** Code and other scripts have more tokens than the estimate. */
const CAUTION = 0.75;

/** The tokens of a session that the model is given, of what it can read and write at once. */
export const digestTokens = (context: number): number =>
  Math.floor((context - SUMMARY_TOKENS - INSTRUCTIONS) * CAUTION);

/**
 * Where the model is asked.
 *
 * @param readToken reads a token from its file; undefined if there is no file
 * @throws UserError `config`
 */
export function addressOf(
  { url, model, tokenFile }: Config['summary'],
  readToken: (file: string) => string | undefined,
): ChatAddress {
  if (url === '' || model === '')
    throw new UserError('config', 'no model is set for summaries', {
      hint: 'set summary.url and summary.model in config.yaml (docs/summaries.md)',
    });
  const token = tokenFile === '' ? undefined : readToken(tokenFile);
  if (tokenFile !== '' && token === undefined)
    throw new UserError('config', `summary.token_file: there is no file ${tokenFile}`, {
      hint: 'put the key into it, mode 600',
    });
  return chatAddress(url, { model, token });
}
