const FENCE = /^\uFEFF?(---|\+\+\+)[ \t]*\r?\n/;
/** `title: …`, `title = …`: a line that is not prose, under a fence that may also be a rule across the page. */
const FIELD = /^["']?[\w.-]+["']?[ \t]*[:=]/;

/**
 * A document's text without the YAML or TOML front matter that it begins with: fields for programs, not what the
 * document says. Front matter that goes on beyond the text leaves nothing of it.
 *
 * @param text the beginning of a document
 */
export function withoutFrontMatter(text: string): string {
  const fence = FENCE.exec(text);
  if (fence === null) return text;
  const rest = text.slice(fence[0].length);
  const lines = rest.split('\n');
  const close = lines.findIndex((line) => line.trimEnd() === fence[1]);
  if (close !== -1) return lines.slice(close + 1).join('\n');
  return FIELD.test(rest) ? '' : text;
}
