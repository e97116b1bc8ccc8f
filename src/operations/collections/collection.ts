/** A collection: its fields, and how it is shown. */
import * as z from 'zod/mini';
import { line } from '../../core/outside.js';
import type { CollectionRow } from '../../store/index.js';
import { filter } from '../conditions.js';
import { count, field, name, share, text } from '../fields.js';

export const WHOLE = 'collections belong to the whole palace';
export const SET = 'collections';

export const collection = z.strictObject({
  name: z.string(),
  /** Null: the newest drawers that the filter allows; none without a filter. */
  query: name,
  filter,
  /** Drawers that its search finds, at most. */
  limit: count,
  min_score: share,
  added: count,
  excluded: count,
  made_at: z.iso.datetime(),
});
export type Collection = z.output<typeof collection>;

export const named = () => field(text(), 'the collection', { cli: '<name>', agents: 'of the collection' });

export async function shown({ question: query, filter, most: limit, ...row }: CollectionRow) {
  const { storedFilter } = await import('../../knowledge/collections/exchange.js');
  const { name, min_score, added, excluded, made_at } = row;
  return { name, query, filter: storedFilter(filter), limit, min_score, added, excluded, made_at };
}

/** `2 added, 1 excluded` */
export const marksOf = ({ added, excluded }: Collection): string =>
  stated(added > 0 && `${added} added`, excluded > 0 && `${excluded} excluded`);

/** What the search of a collection asks for: `"money" (wing wing_shop, type diary)`. */
export function searchOf({ query, filter }: Collection): string {
  const conditions = Object.entries(filter).map(([name, value]) => `${name} ${line(value)}`);
  const asked = query === null ? [] : [`"${line(query)}"`];
  return [...asked, ...(conditions.length === 0 ? [] : [`(${conditions.join(', ')})`])].join(' ');
}

/** What there is to say. */
export const stated = (...parts: (string | false)[]): string =>
  parts.filter((part) => part !== false && part !== '').join(', ');
