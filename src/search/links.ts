import { posix } from 'node:path';
import { groupBy } from '../core/group-by.js';
import { KEY_KIND, parseSourceKey, pathOfKey } from '../core/source-key.js';
import { conditionOf, type DrawerFilter, type DrawerView, type Palace } from '../store/index.js';
import type { Hit } from './group.js';

/** A document that a hit's document links to. */
export interface Related {
  /** Its first drawer. */
  drawer: DrawerView;
  /** The text between the brackets: `handbook#rounding` in `[[handbook#rounding|how we round]]`. */
  link: string;
  /** The drawer id of the hit whose document links there. */
  from: string;
}

/** `[[name]]`, `[[name|label]]`, `[[name#heading]]`, on one line; `![[…]]` embeds a document, and links to it. */
const LINK = /\[\[([^[\]|\n]{1,200})(?:\|[^[\]\n]{0,200})?\]\]/g;
/** Code is skipped: `a[[0]]` is an index. */
const CODE = /^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1|(?![\s\S]))|`[^`\n]*`/gm;
/** Length of a document that is searched for links, UTF-16 units. */
const LOOKED_THROUGH = 256 * 1024;

/**
 * The documents that the documents of hits link to with `[[…]]`, one hop away. Links of the best hit come first; within a
 * hit, links of its passage come first. A link leads to a document of the same project: by a path, the end of one, a file
 * name with or without its extension, or a title. Of several documents the nearest is chosen.
 *
 * @param options.limit documents at most
 * @param options.filter the search's filter; documents that it excludes are not linked to
 */
export function linkedFrom(
  palace: Palace,
  hits: readonly Hit[],
  { limit, filter }: { limit: number; filter?: DrawerFilter | undefined },
): Related[] {
  return palace.snapshot(() => {
    const among = conditionOf(filter ?? {});
    const found: Related[] = [];
    const seen = new Set(hits.map(({ drawer }) => drawer.sourceId));
    const projects = new Map<string, Documents>();
    for (const hit of hits) {
      if (found.length >= limit) break;
      const { drawer } = hit;
      const home = projectOf(drawer);
      if (drawer.kind !== 'document' || home === undefined) continue;
      const documents = projects.get(home) ?? new Documents(palace, home);
      projects.set(home, documents);
      for (const link of linksOf(palace, hit)) {
        if (found.length >= limit) break;
        const sourceId = documents.find(link, drawer.place);
        if (sourceId === undefined || seen.has(sourceId)) continue;
        const [first] = palace.reading.drawersBetween(sourceId, 0, 0, among);
        if (first === undefined) continue;
        seen.add(sourceId);
        found.push({ drawer: first, link, from: drawer.drawerId });
      }
    }
    return found;
  });
}

function projectOf({ sourceKey }: DrawerView): string | undefined {
  const { kind, owner } = parseSourceKey(sourceKey);
  return kind === KEY_KIND.document ? owner : undefined;
}

/** Links of the passage, then those of the rest of its document, without duplicates. */
function linksOf(palace: Palace, { drawer, passage }: Hit): Set<string> {
  const links = new Set<string>();
  let whole = '';
  for (const text of palace.sources.texts(drawer.sourceId)) {
    whole += text;
    if (whole.length >= LOOKED_THROUGH) break;
  }
  for (const text of [...passage.map((each) => each.drawer.text), whole])
    for (const [, target = ''] of text.replace(CODE, '').matchAll(LINK)) links.add(target.trim());
  return links;
}

interface Listed {
  id: number;
  /** Path in the project, normalized. */
  path: string;
}

/** The documents of a project by all names that a link may use. */
class Documents {
  readonly #byName: Map<string, Listed[]>;

  constructor(palace: Palace, projectId: string) {
    const listed = palace.sources.ofProject(projectId).flatMap(({ id, sourceKey, title }) => {
      const path = fold(pathOfKey(sourceKey));
      const parts = path.split('/');
      // Every end of the path from a slash on, with and without the extension.
      const names = parts.flatMap((_, at) => {
        const end = parts.slice(at).join('/');
        return [end, withoutExtension(end)];
      });
      if (title !== null) names.push(fold(title));
      return Array.from(new Set(names), (name) => ({ name, id, path }));
    });
    this.#byName = groupBy(listed, ({ name }) => name);
  }

  /** @param place path of the document that links, in the project */
  find(link: string, place: string): number | undefined {
    const [target = ''] = link.split('#');
    const from = fold(place);
    const wanted = resolved(fold(target), from);
    const candidates = this.#byName.get(wanted) ?? [];
    return [...candidates].sort((a, b) => rank(a.path, wanted, from) - rank(b.path, wanted, from))[0]?.id;
  }
}

/** A link means the whole path first, then the document that shares most folders with the linking one. */
function rank(path: string, wanted: string, from: string): number {
  if (wanted.includes('/') && (path === wanted || withoutExtension(path) === wanted)) return -1;
  const [own, other] = [from, path].map((each) => each.split('/').slice(0, -1));
  let shared = 0;
  while (own?.[shared] !== undefined && own[shared] === other?.[shared]) shared += 1;
  return (other?.length ?? 0) + (own?.length ?? 0) - 2 * shared;
}

/** `./a` and `../a` are relative to the folder of the linking document. */
function resolved(target: string, from: string): string {
  if (!/^\.{1,2}\//.test(target)) return target.replace(/^\/+/, '');
  return posix.join(posix.dirname(from), target).replace(/^(?:\.\.\/)+|\/$/g, '');
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().trim();
}

function withoutExtension(path: string): string {
  return path.replace(/(?<=[^/])\.[^./]+$/, '');
}
