import { createRequire } from 'node:module';
import { z } from 'zod';
import { dayOfText } from '../../core/day.js';

export interface FrontMatter {
  title?: string;
  /** `YYYY-MM-DD`. */
  date?: string;
}

const LONGEST = 64 * 1024;
const YAML_BLOCK = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*$/m;
const TOML_BLOCK = /^\+\+\+[ \t]*\r?\n([\s\S]*?)^\+\+\+[ \t]*$/m;
const fields = z.record(z.string(), z.unknown());

/** Reads title and date (`date`, `created`, `published`) from YAML or TOML front matter; ignores malformed ones. */
export function frontMatterOf(text: string): FrontMatter {
  if (!text.startsWith('---') && !text.startsWith('+++')) return {};
  const beginning = text.slice(0, LONGEST);
  const yaml = YAML_BLOCK.exec(beginning);
  if (yaml?.index === 0) return factsOf(yamlFields(yaml[1] ?? ''));
  const toml = TOML_BLOCK.exec(beginning);
  return toml?.index === 0 ? factsOf(tomlFields(toml[1] ?? '')) : {};
}

function factsOf(found: Record<string, unknown>): FrontMatter {
  const title = stringOf(found.title);
  const date = [found.date, found.created, found.published]
    .map((value) => dayOfText(stringOf(value) ?? ''))
    .find(Boolean);
  return { ...(title ? { title } : {}), ...(date ? { date } : {}) };
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : undefined;
}

function yamlFields(source: string): Record<string, unknown> {
  // Loaded only for documents with front matter. The failsafe schema leaves dates as they are written.
  const { parse }: typeof import('yaml') = createRequire(import.meta.url)('yaml');
  try {
    const parsed: unknown = parse(source, { schema: 'failsafe', logLevel: 'silent', maxAliasCount: 10 });
    return fields.safeParse(parsed).data ?? {};
  } catch {
    return {};
  }
}

/** Reads the `key = value` lines before the first table. */
function tomlFields(source: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const line of source.split(/\r?\n/)) {
    if (line.startsWith('[')) break;
    const match = /^(title|date|created|published)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|([0-9T:Z.+-]+))/.exec(
      line,
    );
    if (match?.[1]) found[match[1]] = match[2] ?? match[3] ?? match[4];
  }
  return found;
}

/** A date in a file name, such as `2024-05-17-release.md` or `notes_20240517.txt`. */
export function dateInName(name: string): string | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const match = /(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)/.exec(base);
  return match ? dayOfText(`${match[1]}-${match[3]}-${match[4]}`) : undefined;
}
