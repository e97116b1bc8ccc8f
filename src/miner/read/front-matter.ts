import { createRequire } from 'node:module';
import { z } from 'zod';
import type { StagedSource } from '../../core/contract.js';
import { dayOfText, dayOfTime } from '../../core/day.js';
import { type FrontMatter, frontMatterAt, lineFields } from '../../core/front-matter.js';

export interface Described {
  title?: string;
  /** `YYYY-MM-DD`. */
  date?: string;
}

const LONGEST = 64 * 1024;
const fields = z.record(z.string(), z.unknown());
/** YAML's ways to write that a key has no value. */
const NONE = /^(?:null|~|)$/i;

/**
 * Title and date (`date`, `created`, `published`) of a text's front matter, YAML or TOML. Of two blocks, one after
 * the other, the first that has a field counts. A malformed value costs that value alone.
 */
export function frontMatterOf(text: string): Described {
  const beginning = text.slice(0, LONGEST);
  let described: Described = {};
  for (let block = frontMatterAt(beginning); block !== undefined; ) {
    described = { ...describedBy(fieldsOf(block)), ...described };
    const gap = /^\s*/.exec(beginning.slice(block.end))?.[0].length ?? 0;
    block = frontMatterAt(beginning, block.end + gap);
  }
  return described;
}

function describedBy(found: Record<string, unknown>): Described {
  const title = textOf(found.title);
  const date = [found.date, found.created, found.published]
    .map((value) => dayOfText(textOf(value) ?? ''))
    .find(Boolean);
  return { ...(title !== undefined && { title }), ...(date !== undefined && { date }) };
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';
  return NONE.test(text) ? undefined : text;
}

function fieldsOf({ syntax, source }: FrontMatter): Record<string, unknown> {
  if (syntax === 'toml') return lineFields(source);
  const entries = () => source.split(/^(?=[^\s#-])/m).map((entry) => parsed(entry) ?? lineFields(entry));
  const found: Record<string, unknown> = parsed(source) ?? Object.assign({}, ...entries());
  return Object.fromEntries(Object.entries(found).map(([key, value]) => [key.toLowerCase(), value]));
}

/** The fields of YAML; undefined if it is malformed, or no mapping. */
function parsed(source: string): Record<string, unknown> | undefined {
  // Loaded only for documents with front matter. The failsafe schema leaves dates as they are written.
  const { parseDocument }: typeof import('yaml') = createRequire(import.meta.url)('yaml');
  try {
    const document = parseDocument(source, { schema: 'failsafe', logLevel: 'silent', uniqueKeys: false });
    // A warning: `!important: read` is no type.
    if (document.errors.length + document.warnings.length > 0) return undefined;
    return fields.safeParse(document.toJS({ maxAliasCount: 10 })).data;
  } catch {
    return undefined;
  }
}

/**
 * The day of a document: the given one, else that in its front matter or its name, else that of its last change; undefined
 * for a change outside the years 1 to 9999.
 *
 * @param name its path, with `/`
 */
export function dayOfDocument(
  front: Described,
  name: string,
  { contentDate, mtimeMs }: Pick<StagedSource, 'contentDate' | 'mtimeMs'>,
): string | undefined {
  return contentDate ?? front.date ?? dateInName(name) ?? dayOfTime(mtimeMs);
}

/** A moment in UTC in a file name, as of an entry of a diary: `2026-11-26T202724Z-1f.md`. */
const MOMENT = /(?<!\d)(\d{4})-?(\d{2})-?(\d{2})T(\d{2})[-:]?(\d{2})[-:]?(\d{2})\.?\d*Z/;

/** The day of a date or a moment in a file name, such as `2024-05-17-release.md` or `notes_20240517.txt`. */
export function dateInName(name: string): string | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const [, year, month, day, hour, minute, second] = MOMENT.exec(base) ?? [];
  if (year !== undefined) return dayOfText(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const match = /(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)/.exec(base);
  return match ? dayOfText(`${match[1]}-${match[3]}-${match[4]}`) : undefined;
}
