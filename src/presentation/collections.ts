import { snakeNamed } from '../core/case.js';
import { BAR, line, NOTICE, plain } from '../core/outside.js';
import { plural } from '../core/plural.js';
import type { Output } from '../service/contract/index.js';
import type { Document } from './documents/index.js';
import { drawerJson, sourceFields } from './drawers.js';
import type { ExportFormat } from './export-formats.js';

export type Collection = Output<'collections'>['collections'][number];
type Members = Pick<Output<'collectionDrawers'>, 'collection' | 'drawers'>;
type Member = Members['drawers'][number];

const COMMAND = 'mempalace collection';

/** A collection after a change. */
export function changedCollectionDocument({
  collection,
  created,
  redacted,
}: Output<'changeCollection'>): Document<'collectionChanged'> {
  return { command: COMMAND, collection: collectionJson(collection), created, redacted };
}

/** The name of a deleted collection. */
export function droppedCollectionDocument({ name }: Output<'dropCollection'>): Document<'collectionDrop'> {
  return { command: COMMAND, dropped: name };
}

/** A collection without its drawers. */
export function collectionJson({ question: query, ...collection }: Collection) {
  const { name, filter, limit, minScore, added, excluded, madeAt } = collection;
  return { name, query, filter, ...snakeNamed({ limit, minScore, added, excluded, madeAt }) };
}

/** All collections, without their drawers. */
export function collectionsDocument({ collections }: Output<'collections'>): Document<'collectionList'> {
  return { notice: NOTICE, collections: collections.map(collectionJson) };
}

/** A drawer of a collection. */
export function memberJson({ drawer, isAdded, score }: Member) {
  return {
    source_key: drawer.sourceKey,
    ...sourceFields(drawer),
    ...drawerJson(drawer),
    added: isAdded,
    score,
  };
}

/** A collection with what belongs to it now. */
export function membersJson({ collection, drawers }: Members) {
  return { notice: NOTICE, collection: collectionJson(collection), drawers: drawers.map(memberJson) };
}

/** What the search of a collection asks for: `"money" (wing wing_shop, type diary)`. */
export function searchOf({ question, filter }: Collection): string {
  const conditions = Object.entries(filter).map(([name, value]) => `${name} ${line(value)}`);
  const asked = question === null ? [] : [`"${line(question)}"`];
  return [...asked, ...(conditions.length === 0 ? [] : [`(${conditions.join(', ')})`])].join(' ');
}

/** A collection as Markdown or plain text. Each line of a drawer's text has a mark, so that it cannot look like ours. */
export function collectionText(
  { collection, drawers }: Members,
  format: Exclude<ExportFormat, 'json'>,
): string {
  const isMarkdown = format === 'md';
  const mark = isMarkdown ? '> ' : BAR;
  const about = [plural(drawers.length, 'drawer'), searchOf(collection)]
    .filter((part) => part !== '')
    .join(': ');
  const head = [isMarkdown ? `# ${collection.name}` : collection.name, '', about, NOTICE, ''];
  const blocks = drawers.map(({ drawer, isAdded }, index) => {
    const title = line(drawer.title) || line(drawer.sourceFile);
    const place = [
      drawer.drawerId,
      line(`${drawer.wing} / ${drawer.room}`),
      drawer.contentDate ?? drawer.day,
      `${line(drawer.origin)}, lines ${drawer.lineStart}–${drawer.lineEnd}`,
      ...(isAdded ? ['added'] : []),
    ].join(' · ');
    const text = plain(drawer.text).trimEnd().split('\n');
    const heading = isMarkdown ? `## ${index + 1}. ${title}` : `${index + 1}. ${title}`;
    return [heading, '', place, '', ...text.map((row) => (mark + row).trimEnd()), ''];
  });
  return `${[...head, ...blocks.flat()].join('\n').trimEnd()}\n`;
}
