import type { CommandContext } from './runner.js';

/** A path as a run may record it: without secrets in it, unless they are kept as they are. */
export async function shownPath(path: string, redact: boolean, { config }: CommandContext): Promise<string> {
  const { cleanPath, createSanitiser } = await import('../../sanitiser/index.js');
  return cleanPath(path, await createSanitiser({ redact, rules: config.privacy.rules }));
}
