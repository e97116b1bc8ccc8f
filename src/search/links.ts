import { KEY_KIND, parseSourceKey } from '../core/source-key.js';
import { conditionOf, type DrawerFilter, type DrawerView, type Palace } from '../store/index.js';
import type { Hit } from './group.js';
import { aliasesOf, Documents, linksIn, textForLinks } from './link-targets.js';

/** A document that a hit's document links to. */
export interface Related {
  /** Its first drawer. */
  drawer: DrawerView;
  /** The text between the brackets: `handbook#rounding` in `[[handbook#rounding|how we round]]`. */
  link: string;
  /** The drawer id of the hit whose document links there. */
  from: string;
}

/**
 * The documents that the documents of hits link to, with `[[…]]` or a path of Markdown, one hop away, `limit` at
 * most, without those that the search's filter excludes. Links of the best hit come first; within a hit, links of its
 * passage come first. A link leads to a document of the same project: by a path, the end of one, a file name with or
 * without its extension, or a title. Of several documents the nearest is chosen.
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
      const documents =
        projects.get(home) ?? new Documents(palace.sources.ofProject(home), aliasesOf(palace, home));
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
  const texts = [...passage.map((each) => each.drawer.text), textForLinks(palace, drawer.sourceId)];
  return new Set(texts.flatMap(linksIn).map(({ target }) => target));
}
