import { lineHunks } from './hunks.js';

/** Shown in the place of a token. */
export const HIDDEN = '<token>';

/** A text without the tokens that requests are sent with. References to a file or a variable stay. */
export function withoutTokens(text: string): string {
  return text.replaceAll(/(["']Bearer\s+)(?!\{|\$)[^\s"']+/gi, `$1${HIDDEN}`);
}

/** Removed and added lines, without tokens and other secrets. Lines that differ by a comma alone are left out. */
export async function difference(before: string, after: string): Promise<string[]> {
  const { createSanitiser } = await import('../sanitiser/index.js');
  const sanitiser = await createSanitiser({ redact: true });
  const lines = lineHunks(before, after).flatMap(({ removed, added }) => {
    const come = [...added];
    const gone = removed.filter((line) => {
      const same = come.findIndex((other) => withoutComma(other) === withoutComma(line));
      if (same !== -1) come.splice(same, 1);
      return same === -1;
    });
    return [...gone.map((line) => `- ${line}`), ...come.map((line) => `+ ${line}`)];
  });
  const cleaned = await Promise.all(lines.map((line) => sanitiser.clean(withoutTokens(line))));
  return cleaned.map(({ text }) => text.trimEnd());
}

const withoutComma = (line: string): string => line.replaceAll(',', '').trimEnd();
