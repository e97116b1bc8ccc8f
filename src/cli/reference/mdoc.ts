/** A break between paragraphs. */
export const BREAK = '.Pp';

const NAMED: Record<string, string> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '~': '\\(ti',
  '^': '\\(ha',
};

/**
 * Text that a formatter shows as it is: dashes and quotes stay those of a keyboard, so that commands can be copied, and
 * everything beyond ASCII has a name, so that no locale is needed.
 */
export function escaped(text: string): string {
  return text
    .replace(/[\\'`~^-]/g, (character) => NAMED[character] ?? character)
    .replace(/[^\0-\u007f]/gu, (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
      return `\\[u${code.padStart(4, '0')}]`;
    });
}

/** Running text, a line for each sentence; none of them is taken for a request. */
export function prose(text: string): string {
  return escaped(text)
    .replace(/([.!?]) +(?=[A-Z])/g, '$1\n')
    .replace(/^(?=[.'])/gm, '\\&');
}

/** One argument of a macro: it holds spaces and quotes, and is never taken for a macro or for punctuation. */
export function argument(text: string): string {
  const safe = escaped(text)
    .replaceAll('"', '\\(dq')
    .replace(/^(?=[.,:;()[\]?!|]|[A-Z][a-z]$)/, '\\&');
  return /\s/.test(safe) ? `"${safe}"` : safe;
}

/** An option: `-q`, `--wing`. */
export function flag(name: string): string {
  return `Fl ${escaped(name.slice(1))}`;
}
