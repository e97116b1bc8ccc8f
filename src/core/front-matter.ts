/** The extensions of Markdown files. */
export const MARKDOWN_EXTENSIONS = [
  'md',
  'mdx',
  'markdown',
  'markdn',
  'mkd',
  'mkdn',
  'mkdown',
  'mdown',
  'mdwn',
  'mdtxt',
  'mdtext',
  'mdc',
] as const;
/** Only these contain front matter: in YAML and TOML files, the same keys are ordinary data. */
const MARKDOWN = new RegExp(`\\.(?:${MARKDOWN_EXTENSIONS.join('|')})$`, 'i');

export function isMarkdown(name: string): boolean {
  return MARKDOWN.test(name);
}

/** YAML between lines of `---`, the last of which may be `...` as in Pandoc, or TOML between lines of `+++`. */
const YAML = /---[ \t]*\r?\n([\s\S]*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|(?![\s\S]))/my;
const TOML = /\+\+\+[ \t]*\r?\n([\s\S]*?)^\+\+\+[ \t]*(?:\r?\n|(?![\s\S]))/my;
const MARK = '\u{feff}';
/** A line of the outermost mapping: a key, plain or quoted, without blanks. */
const KEY = /^(?:[\p{L}\p{N}_$@][^\s:="'#]*|"[^"\n]*"|'[^'\n]*')[ \t]*[:=](?:\s|$)/u;

export interface FrontMatter {
  syntax: 'yaml' | 'toml';
  /** Between the fences. */
  source: string;
  /** Offset behind its last line. */
  end: number;
}

/**
 * The front matter that begins at an offset of a text. Lines between two rules are not front matter: the first line
 * that is not blank and not a comment has to be a key, and so have most of the other lines that are not indented. Nor is
 * what begins with a heading and describes nothing.
 */
export function frontMatterAt(text: string, from = 0): FrontMatter | undefined {
  const at = from === 0 && text.startsWith(MARK) ? MARK.length : from;
  const syntax = text.startsWith('---', at) ? 'yaml' : text.startsWith('+++', at) ? 'toml' : undefined;
  if (syntax === undefined) return undefined;
  const block = syntax === 'yaml' ? YAML : TOML;
  block.lastIndex = at;
  const source = block.exec(text)?.[1];
  return source === undefined || !isMapping(source) ? undefined : { syntax, source, end: block.lastIndex };
}

/** A heading between blank lines, and not a comment of YAML. */
const HEADING = /^(?:\s*\n)?#{1,6}[ \t]+\S[^\n]*\n[ \t]*\r?\n/;
const DESCRIBES = /^["']?(?:title|date|tags|aliases)["']?[ \t]*[:=]/im;

function isMapping(source: string): boolean {
  if (HEADING.test(source) && !DESCRIBES.test(source)) return false;
  const lines = source.split('\n').filter((line) => /^[^\s#[\]}-]/.test(line));
  if (lines.length === 0) return source.trim() === '';
  const keys = lines.filter((line) => KEY.test(line)).length;
  return KEY.test(lines[0] ?? '') && keys * 2 > lines.length;
}

/** Keys of the outermost mapping, with a plain or quoted value on the same line. */
const FIELDS = {
  priority: fieldOf('priority'),
  type: fieldOf('type'),
};

function fieldOf(key: string): RegExp {
  return new RegExp(
    `^${key}[ \\t]*[:=][ \\t]*(["']?)([\\p{L}\\p{N}][^"'#\\r\\n]*?)\\1[ \\t]*(?:#.*)?\\r?$`,
    'imu',
  );
}

/**
 * The value of a key in a text's front matter, as it is written. Every run reads it for every document, so a parser would
 * be too slow: only the plain form counts.
 */
export function frontMatterField(text: string, key: keyof typeof FIELDS): string | undefined {
  // In TOML, keys after the first table's header belong to that table.
  const outermost = frontMatterAt(text)?.source.split(/^\[/m, 1)[0] ?? '';
  return FIELDS[key].exec(outermost)?.[2];
}

/** The aliases that front matter gives its document, as Obsidian and Hugo read them. */
export function aliasesIn(text: string): string[] {
  const { aliases = [], alias = [] } = lineFields(frontMatterAt(text)?.source ?? '');
  // Without a list, commas separate them.
  const names = [aliases, alias].flatMap((given) =>
    typeof given === 'string' ? [given, ...given.split(',').map((name) => name.trim())] : given,
  );
  return [...new Set(names)].filter((name) => name !== '');
}

/** A list in brackets, which may take several lines and begin on the next one. */
const LIST = /^["']?[\w-]+["']?[ \t]*[:=](?:[ \t]+|[ \t]*\r?\n[ \t]+)\[[^\]]*\]/gm;
const ITEM = /"(?:[^"\\]|\\.)*"|'[^']*'|[^,]+/g;

/** The outermost keys with a value on the same line, or a list below: what a parser reads, or where it gives up. */
export function lineFields(source: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  let list: string[] | undefined;
  const lines = source.replace(LIST, (each) => each.replace(/\s*\n\s*/g, ' ')).split(/\r?\n/);
  for (const line of lines) {
    // In TOML, keys after the first table's header belong to that table.
    if (line.startsWith('[')) break;
    const [, key, value = ''] = /^["']?([\w-]+)["']?[ \t]*[:=](?:[ \t]+(.*))?$/.exec(line) ?? [];
    const [, item] = /^[ \t]*-[ \t]+(.*)$/.exec(line) ?? [];
    if (key !== undefined) {
      list = [];
      const [, inside] = /^\[(.*)\]\s*$/.exec(value) ?? [];
      found[key.toLowerCase()] =
        inside !== undefined
          ? (inside.match(ITEM) ?? []).map(plainValue).filter((each) => each !== '')
          : /^(?:#|$)/.test(value)
            ? list
            : plainValue(value);
    } else if (item !== undefined) list?.push(plainValue(item));
  }
  return found;
}

/** A value without its quotes, or without the comment behind it. */
function plainValue(written: string): string {
  const value = written.trim();
  const [, quote = '', quoted] = /^("{3}|["'])(.*)\1(?:[ \t]+#.*)?$/.exec(value) ?? [];
  if (quoted === undefined) return value.replace(/(?:^|[ \t]+)#.*$/, '');
  return quote.startsWith('"') ? quoted.replaceAll('\\"', '"') : quoted;
}
