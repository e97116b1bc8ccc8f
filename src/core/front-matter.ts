/** At the beginning: YAML between lines of `---`, or TOML between lines of `+++`. */
const BLOCK = /(---|\+\+\+)[ \t]*\r?\n([\s\S]*?)^\1[ \t]*$/my;
const MARKDOWN = /\.(?:md|mdx|markdown|mdown|mkd)$/i;

/** By the name of a document. Only these contain front matter: in YAML and TOML files, the same keys are ordinary data. */
export function isMarkdown(name: string): boolean {
  return MARKDOWN.test(name);
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
  BLOCK.lastIndex = 0;
  const block = BLOCK.exec(text)?.[2];
  // In TOML, keys after the first table's header belong to that table.
  const outermost = block?.split(/^\[/m, 1)[0] ?? '';
  return FIELDS[key].exec(outermost)?.[2];
}
