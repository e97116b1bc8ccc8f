import { KEY_KIND, parseSourceKey, pathOfKey } from '../core/source-key.js';
import type { FiledSource, Palace, RelatedSession } from '../store/index.js';
import { aliasesOf, Documents, linksIn, namesInLinks, textForLinks } from './link-targets.js';

/** A document at the other end of a link. */
export interface Connected {
  source: FiledSource;
  /** As it is written: `handbook#rounding`; a path of Markdown begins with `./`, `../` or `/`. */
  link: string;
  /** The line of the document that links. */
  line: number;
}

/** Sessions of a tree, at most. */
const MOST_SESSIONS = 200;

/**
 * The documents that a document links to, and those that link to it, each once, in the order of the text or of their
 * paths. Only documents of the same project are linked.
 */
export function linksOf(palace: Palace, source: FiledSource): { to: Connected[]; from: Connected[] } {
  const { kind, owner } = parseSourceKey(source.sourceKey);
  if (kind !== KEY_KIND.document) return { to: [], from: [] };
  const all = palace.sources.ofProject(owner);
  const aliases = aliasesOf(palace, owner);
  const documents = new Documents(all, aliases);
  const byId = new Map(all.map((each) => [each.id, each]));
  const to = new Map<number, Connected>();
  const own = textForLinks(palace, source.id);
  for (const { id, link, at } of targetsOf(own, source, documents)) {
    const target = byId.get(id);
    if (target !== undefined && id !== source.id && !to.has(id))
      to.set(id, { source: target, link, line: lineAt(own, at) });
  }
  const linking = new Set(
    palace.reading.sourcesWithLinks(owner, namesInLinks(source, aliases.get(source.id))),
  );
  const from = all
    .filter(({ id }) => id !== source.id && linking.has(id))
    .flatMap((other) => {
      const text = textForLinks(palace, other.id);
      const found = targetsOf(text, other, documents).find(({ id }) => id === source.id);
      return found === undefined ? [] : [{ source: other, link: found.link, line: lineAt(text, found.at) }];
    });
  return { to: [...to.values()], from };
}

function targetsOf(text: string, { sourceKey }: FiledSource, documents: Documents) {
  const place = pathOfKey(sourceKey);
  return linksIn(text).flatMap(({ target: link, at }) => {
    const id = documents.find(link, place);
    return id === undefined ? [] : [{ id, link, at }];
  });
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** A session in its tree. */
export type TreeSession = Omit<RelatedSession, 'relation' | 'ofKey'> &
  (Pick<RelatedSession, 'relation' | 'ofKey'> | { relation: null; ofKey: null });

/**
 * The tree of a session: the one that all others came from, then each below what it came from, with the session itself.
 * Empty for a session that is alone, and for a document.
 */
export function treeOf(palace: Palace, source: FiledSource): TreeSession[] {
  const root = rootOf(palace, source);
  const seen = new Set([root.id]);
  const tree: TreeSession[] = [{ source: root, relation: null, ofKey: null }];
  const add = (key: string): void => {
    for (const related of palace.relations.descendants(key)) {
      if (seen.has(related.source.id) || tree.length >= MOST_SESSIONS) continue;
      seen.add(related.source.id);
      tree.push(related);
      add(related.source.sourceKey);
    }
  };
  add(root.sourceKey);
  return tree.length === 1 ? [] : tree;
}

function rootOf(palace: Palace, source: FiledSource): FiledSource {
  const seen = new Set<string>();
  let root = source;
  while (!seen.has(root.sourceKey)) {
    seen.add(root.sourceKey);
    const [origin] = palace.relations.origins(root.sourceKey);
    const above = origin === undefined ? undefined : palace.sources.byKey(origin.ofKey);
    if (above === undefined) break;
    root = above;
  }
  return root;
}
