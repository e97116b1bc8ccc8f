import { z } from 'zod';
import { drawerFilter } from '../../core/drawer-filter.js';
import { type Palace, parseStored } from '../../store/index.js';
import { isCollectionName, MOST_ALLOWED } from './change.js';

const drawerIds = z.array(z.string());

export const collectionRow = z.object({
  name: z.string().refine(isCollectionName, 'not a name of a collection'),
  question: z.string().nullable(),
  filter: drawerFilter,
  most: z.int().min(1).max(MOST_ALLOWED),
  min_score: z.number().min(0).max(1),
  made_at: z.string(),
  added: drawerIds,
  excluded: drawerIds,
});
export type CollectionRow = z.infer<typeof collectionRow>;

/** All collections, by name. */
export function collectionRows({ collections }: Palace): CollectionRow[] {
  return collections.all().map(({ id, filter, ...row }) => {
    const marks = collections.marks(id);
    const those = (wanted: 0 | 1) =>
      marks.flatMap(({ drawer_id, is_member }) => (is_member === wanted ? drawer_id : []));
    const { name, question, most, min_score, made_at } = row;
    return {
      ...{ name, question, filter: storedFilter(filter), most, min_score, made_at },
      ...{ added: those(1), excluded: those(0) },
    };
  });
}

/**
 * The conditions of a stored collection, without those of a later program.
 *
 * @throws UserError `palace-damaged`
 */
export function storedFilter(filter: string): z.infer<typeof drawerFilter> {
  return drawerFilter.parse(
    parseStored(filter, 'collections', (value): value is object => drawerFilter.safeParse(value).success),
  );
}

/**
 * Takes a collection of an export in, without drawers that are not filed here; in a transaction. One of this name that is
 * here stays as it is.
 */
export function takeCollection({ collections, reading }: Palace, row: CollectionRow): 'new' | 'unchanged' {
  const { filter, added, excluded, ...given } = row;
  if (collections.byName(given.name) !== undefined) return 'unchanged';
  const collection_id = collections.put({ ...given, filter: JSON.stringify(filter) });
  const here = reading.existing([...added, ...excluded]);
  const mark = (drawers: readonly string[], is_member: 0 | 1) => {
    for (const drawer_id of drawers)
      if (here.has(drawer_id)) collections.mark({ collection_id, drawer_id, is_member });
  };
  mark(added, 1);
  mark(excluded, 0);
  return 'new';
}
