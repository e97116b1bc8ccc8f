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
 * Escapes text for a formatter. Dashes and quotes stay ASCII, so that commands can be copied; other characters get
 * their code point, so that any locale works.
 */
export function escaped(text: string): string {
  return text
    .replace(/[\\'`~^-]/g, (character) => NAMED[character] ?? character)
    .replace(/[^\0-\u007f]/gu, (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
      return `\\[u${code.padStart(4, '0')}]`;
    });
}

/** Running text, one line per sentence; no line is read as a request. */
export function prose(text: string): string {
  return escaped(text)
    .replace(/([.!?]) +(?=[A-Z])/g, '$1\n')
    .replace(/^(?=[.'])/gm, '\\&');
}

/** One argument of a macro, quoted so that it is not read as a macro or as punctuation. */
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
