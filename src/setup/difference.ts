import { lineHunks } from './hunks.js';

/** Shown in the place of a token. */
export const HIDDEN = '<token>';

/** A text without the tokens that requests are sent with. References to a file or a variable stay. */
export function withoutTokens(text: string): string {
  return text.replaceAll(/(["']Bearer\s+)(?!\{|\$)[^\s"']+/gi, `$1${HIDDEN}`);
}

/** Removed and added lines, without tokens. Lines that differ by a comma alone are left out. */
export function difference(before: string, after: string): string[] {
  return lineHunks(before, after).flatMap(({ removed, added }) => {
    const come = [...added];
    const gone = removed.filter((line) => {
      const same = come.findIndex((other) => withoutComma(other) === withoutComma(line));
      if (same !== -1) come.splice(same, 1);
      return same === -1;
    });
    const lines = [...gone.map((line) => `- ${line}`), ...come.map((line) => `+ ${line}`)];
    return lines.map((line) => withoutTokens(line).trimEnd());
  });
}

const withoutComma = (line: string): string => line.replaceAll(',', '').trimEnd();
