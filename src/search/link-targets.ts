import { posix } from 'node:path';
import { aliasesIn } from '../core/front-matter.js';
import { groupBy } from '../core/group-by.js';
import { pathOfKey } from '../core/source-key.js';
import type { FiledSource, Palace } from '../store/index.js';

/**
 * `[[name]]`, `[[name|label]]`, `[[name#heading]]`, on one line; `![[…]]` embeds a document, and links to it. In a table,
 * Obsidian writes the bar as `\|`.
 */
const NAMED = /(?<!\\)\[\[([^[\]|\n]{1,200}?)(?:\\?\|[^[\]\n]{0,200})?\]\]/g;
/** Markdown's own links: `[label](path#heading "title")`, with blanks in `<path>`; `[label]: path`; HTML, any element. */
const MARKDOWN = [
  /\]\(\s{0,9}(?:<([^<>\n]{1,400})>|((?:[^()<>\s]|\([^()<>\s]{0,100}\)){1,400}))(?:\s[^()\n]{0,200})?\)/g,
  /^[ >]{0,9}\[[^\]\n]{1,200}\]:[ \t]*(?:\r?\n[ \t>]{0,9})?(?:<([^<>\n]{1,400})>|([^<>\s]{1,400}))/gm,
  /<[a-z][a-z\d]{0,15}\b[^<>]{0,400}?\s(?:href|src)\s*=\s*(?:"([^"<>\n]{1,400})"|'([^'<>\n]{1,400})'|([^\s"'<>]{1,400}))/gi,
];
/** An address of the web, or a place in the same document. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;
/** Between the fences of code, in a list, too; `>` continues code in a quote. */
const FENCED =
  /^(?:[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]){0,40}(?<fence>`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\k<fence>|(?![\s\S]))/;
const QUOTED =
  /^[ \t]*>[ \t>]*(?<mark>`{3,}|~{3,})[^\n]*(?:\n[ \t]*>(?![ \t>]*\k<mark>)[^\n]*)*(?:\n[ \t>]*\k<mark>)?/;
/** Indented by four blanks below a paragraph: below an item of a list, that is its text. */
const INDENTED =
  /^(?=(?: {4}|\t)[^\n])(?<=^(?![ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|\[\^)[^\n]+\n(?:[ \t]*\r?\n)+)(?:(?: {4}|\t)[^\n]*(?:\n|$)(?:[ \t]*\r?\n)*)+/;
const INLINE =
  /(?<![`\\])(?<ticks>`+)(?!`)(?:[^\n]|\n(?![ \t]*(?:[\r\n>|#*+-]|\d{1,9}[.)]|```|~~~)))*?(?<!`)\k<ticks>(?!`)/;
const HTML = /<!--[\s\S]*?-->|<(?<tag>pre|code)\b[\s\S]*?<\/\k<tag>>/;
/** Code and comments are skipped: `a[[0]]` is an index. */
const CODE = new RegExp(
  [FENCED, QUOTED, INDENTED, INLINE, HTML].map(({ source }) => source).join('|'),
  'gim',
);
/** Length of a document that is searched for links, UTF-16 units. */
const LOOKED_THROUGH = 256 * 1024;

export interface Link {
  /** As `Documents.find` takes it: the name between the brackets; a path of Markdown begins with `./`, `../` or `/`. */
  target: string;
  /** Where it begins in the text. */
  at: number;
}

/** The links in a text, in its order. */
export function linksIn(text: string): Link[] {
  const prose = text.replace(CODE, (code) => code.replace(/[^\n]/g, ' '));
  const named = Array.from(prose.matchAll(NAMED), ({ 1: name = '', index }) => ({
    target: name.trim(),
    at: index,
  }));
  const paths = MARKDOWN.flatMap((form) =>
    Array.from(prose.matchAll(form), ({ index, ...groups }) => ({
      path: [groups[1], groups[2], groups[3]].find(Boolean) ?? '',
      at: index,
    })),
  )
    .filter(({ path }) => !ELSEWHERE.test(path))
    .map(({ path, at }) => ({ target: decoded(/^\.{0,2}\//.test(path) ? path : `./${path}`), at }));
  return [...named, ...paths].sort((one, other) => one.at - other.at);
}

/** The aliases of a project's documents, by their ids. */
export function aliasesOf(palace: Palace, projectId: string): Map<number, string[]> {
  const named = palace.reading.beginningsWithAliases(projectId);
  return new Map(named.map(({ sourceId, text }) => [sourceId, aliasesIn(text)]));
}

/** The text of a source, or its beginning if it is very long. */
export function textForLinks(palace: Palace, sourceId: number): string {
  let whole = '';
  for (const text of palace.sources.texts(sourceId)) {
    whole += text;
    if (whole.length >= LOOKED_THROUGH) break;
  }
  return whole;
}

interface Listed {
  id: number;
  /** Path in the project, normalized. */
  path: string;
}

/** The documents of a project by all names that a link may use. */
export class Documents {
  readonly #byName: Map<string, Listed[]>;

  /** @param aliases of documents by their ids, from front matter */
  constructor(
    all: readonly Pick<FiledSource, 'id' | 'sourceKey' | 'title'>[],
    aliases: ReadonlyMap<number, readonly string[]>,
  ) {
    const listed = all.flatMap(({ id, sourceKey, title }) => {
      const path = fold(pathOfKey(sourceKey));
      const parts = path.split('/');
      // Every end of the path from a slash on, with and without the extension.
      const names = parts.flatMap((_, at) => {
        const end = parts.slice(at).join('/');
        return [end, withoutExtension(end)];
      });
      for (const other of [title ?? [], aliases.get(id) ?? []].flat()) names.push(fold(other));
      return Array.from(new Set(names), (name) => ({ name, id, path }));
    });
    this.#byName = groupBy(listed, ({ name }) => name);
  }

  /** @param place path of the document that links, in the project */
  find(link: string, place: string): number | undefined {
    const [target = ''] = link.split('#');
    const from = fold(place);
    const wanted = resolved(fold(target.replaceAll('%23', '#')), from);
    const named = this.#byName.get(wanted) ?? [];
    const isPath = RELATIVE.test(target);
    const candidates = isPath ? named.filter(({ path }) => isSame(path, wanted)) : named;
    return [...candidates].sort((a, b) => rank(a.path, wanted, from) - rank(b.path, wanted, from))[0]?.id;
  }
}

/** A link may write these as they are; other characters may be encoded, or have another case that SQLite does not know. */
const PLAIN = /^[\w.-]+(?: [\w.-]+)*$/;

/**
 * Texts of which a link to a document contains one, in lower case. Undefined if there are none: its name may be encoded.
 */
export function namesInLinks(
  { sourceKey, title }: Pick<FiledSource, 'sourceKey' | 'title'>,
  aliases: readonly string[] = [],
): readonly string[] | undefined {
  const file = posix.basename(fold(pathOfKey(sourceKey)));
  const names = [withoutExtension(file), ...[title ?? [], aliases].flat().map(fold)];
  return names.every((name) => PLAIN.test(name)) && !file.includes(' ') ? names : undefined;
}

/** A link means the whole path first, then the document that shares most folders with the linking one. */
function rank(path: string, wanted: string, from: string): number {
  if (wanted.includes('/') && isSame(path, wanted)) return -1;
  const [own, other] = [from, path].map((each) => each.split('/').slice(0, -1));
  let shared = 0;
  while (own?.[shared] !== undefined && own[shared] === other?.[shared]) shared += 1;
  return (other?.length ?? 0) + (own?.length ?? 0) - 2 * shared;
}

const RELATIVE = /^\.{1,2}\//;

const isSame = (path: string, wanted: string): boolean =>
  path === wanted || withoutExtension(path) === wanted;

/** `./a` and `../a` are relative to the folder of the linking document. */
function resolved(target: string, from: string): string {
  if (!RELATIVE.test(target)) return target.replace(/^\/+/, '');
  return posix.join(posix.dirname(from), target).replace(/^(?:\.\.\/)+|\/$/g, '');
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().trim();
}

function withoutExtension(path: string): string {
  return path.replace(/(?<=[^/])\.[^./]+$/, '');
}

const ENTITIES: Record<string, string> = { amp: '&', quot: '"', apos: "'", nbsp: ' ' };

/** Markdown writes a space as `%20`, HTML also as `&#32;`. A `#` of a name stays `%23`, since `#` begins a heading. */
function decoded(path: string): string {
  const plain = path
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w{2,5}));/gi, (all, decimal, hex, name) => {
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return ENTITIES[name] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : all);
    })
    .replace(/\?[^#]*/, '');
  try {
    return decodeURIComponent(plain.replaceAll('%23', '%2523'));
  } catch {
    return plain;
  }
}
