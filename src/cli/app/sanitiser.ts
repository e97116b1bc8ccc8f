import type { TracingSanitiser } from '../../sanitiser/index.js';
import type { CommandContext } from './runner.js';

/** The sanitiser with the user's own rules; without `redact` it changes nothing. */
export async function sanitiserFor(redact: boolean, { config }: CommandContext): Promise<TracingSanitiser> {
  const { createSanitiser } = await import('../../sanitiser/index.js');
  return createSanitiser({ redact, rules: config.privacy.rules });
}

/** `sanitiserFor`, with a warning if it changes nothing. */
export function announcedSanitiser(redact: boolean, context: CommandContext): Promise<TracingSanitiser> {
  announceUnredacted(redact, context);
  return sanitiserFor(redact, context);
}

export function announceUnredacted(redact: boolean, { terminal }: CommandContext): void {
  if (!redact) terminal.warn('secrets are kept as they are (--no-redact)');
}

/** A path as a run records it: with secrets redacted, unless `redact` is false. */
export async function shownPath(path: string, redact: boolean, context: CommandContext): Promise<string> {
  const { cleanPath } = await import('../../sanitiser/index.js');
  return cleanPath(path, await sanitiserFor(redact, context));
}
