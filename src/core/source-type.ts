import { frontMatterField, isMarkdown } from './front-matter.js';
import { KEY_KIND } from './source-key.js';

/** What a source is by the way in which it was filed. Other types are declared by documents. */
export const SOURCE_TYPES = [
  'document',
  'conversation',
  'diary',
  'drawer',
  'checkpoint',
  'summary',
  'conflict',
] as const;

/** Types that are the kind of a source's key. */
export const KEYED_TYPES = [KEY_KIND.diary, KEY_KIND.drawer, 'checkpoint', 'summary', 'conflict'] as const;

const HEAD_CHARS = 8 * 1024;
const LONGEST = 64;

/** One spelling of a type: `Principle card` is `principle-card`. Empty if it contains neither a letter nor a digit. */
export function typeName(text: string): string {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.join('-').slice(0, LONGEST);
}

/**
 * The type that a document declares of itself, by `type:` in its front matter; null without one. Front matter longer
 * than 8 KB does not count. `name`: the relative POSIX path in its project.
 */
export function declaredTypeOf(name: string, text: string): string | null {
  if (!isMarkdown(name)) return null;
  const declared = frontMatterField(text.slice(0, HEAD_CHARS), 'type');
  return declared === undefined ? null : typeName(declared) || null;
}
