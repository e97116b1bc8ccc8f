import type { Sanitiser } from '../../sanitiser/index.js';
import type { CommandContext } from './runner.js';

/** The sanitiser with the user's own rules; with `redact: false` one that changes nothing. */
export async function sanitiserFor(redact: boolean, { config }: CommandContext): Promise<Sanitiser> {
  const { createSanitiser } = await import('../../sanitiser/index.js');
  return createSanitiser({ redact, rules: config.privacy.rules });
}

/** A path as a run may record it: without secrets in it, unless they are kept as they are. */
export async function shownPath(path: string, redact: boolean, context: CommandContext): Promise<string> {
  const { cleanPath } = await import('../../sanitiser/index.js');
  return cleanPath(path, await sanitiserFor(redact, context));
}
