import { UserError } from '../../core/errors.js';
import { line } from '../../core/outside.js';
import { findDrawer } from '../../reading/index.js';
import { addCounts, type Sanitiser, type Scope } from '../../sanitiser/index.js';
import type { CollectionRow, Palace } from '../../store/index.js';

/** Drawers that a collection's search finds, at most: the default and the highest limit. */
const MOST = 100;
export const MOST_ALLOWED = 1_000;
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,63}$/u;
const NAMES_SHOWN = 10;

export interface CollectionChange {
  name: string;
  /** Null removes it. */
  query?: string | null | undefined;
  /** Conditions of its search; replaces all former ones. */
  filter?: Record<string, string | undefined> | undefined;
  /** Drawers that its search finds, at most. */
  limit?: number | undefined;
  min_score?: number | undefined;
  /** Drawers, by id or the beginning of it, that belong to it whatever its search finds, … */
  add?: readonly string[] | undefined;
  /** … that never do, … */
  exclude?: readonly string[] | undefined;
  /** … and that are neither added nor excluded any more. */
  remove?: readonly string[] | undefined;
}

interface CollectionWriting {
  sanitiser: Pick<Sanitiser, 'scope'>;
  now: Date;
  /** Called in the transaction, to record the change. */
  record: () => void;
}

export interface ChangedCollection {
  collection: CollectionRow;
  created: boolean;
  redacted: Record<string, number>;
}

/**
 * Makes or changes a collection in one short transaction without the run lock.
 *
 * @throws UserError `usage` for an invalid name or limit, or a new collection of nothing; `not-found` for an unknown
 *   drawer, or an unknown collection from which drawers are excluded or released
 */
export async function changeCollection(
  palace: Palace,
  change: CollectionChange,
  { sanitiser, now, record }: CollectionWriting,
): Promise<ChangedCollection> {
  const { add = [], exclude = [], remove = [], limit, min_score } = change;
  const name = settledName(change.name);
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= MOST_ALLOWED))
    throw new UserError('usage', `the limit of a collection is 1 to ${MOST_ALLOWED}, not ${limit}`);
  const { question, filter, redacted } = await cleaned(change, sanitiser.scope());
  return palace.transaction(() => {
    const { collections } = palace;
    const known = collections.byName(name);
    const makes = question !== undefined || filter !== undefined || add.length > 0;
    if (known === undefined && !makes) throw unknownCollection(palace, name);
    const id = collections.put({
      name,
      question: question === undefined ? (known?.question ?? null) : question,
      filter: filter === undefined ? (known?.filter ?? '{}') : JSON.stringify(filter),
      most: limit ?? known?.most ?? MOST,
      min_score: min_score ?? known?.min_score ?? 0,
      made_at: now.toISOString(),
    });
    const idsOf = (names: readonly string[]) => names.map((each) => findDrawer(palace, each).drawerId);
    for (const drawer_id of idsOf(add)) collections.mark({ collection_id: id, drawer_id, is_member: 1 });
    for (const drawer_id of idsOf(exclude)) collections.mark({ collection_id: id, drawer_id, is_member: 0 });
    for (const drawer_id of idsOf(remove)) collections.unmark(id, drawer_id);
    record();
    return { collection: collectionNamed(palace, name), created: known === undefined, redacted };
  });
}

/** Deletes a collection, also from the write-ahead log. @throws UserError `not-found` */
export function dropCollection(palace: Palace, name: string, record: () => void): void {
  palace.transaction(() => {
    palace.collections.remove(collectionNamed(palace, name).id);
    record();
  });
  palace.emptyLog();
}

/** @throws UserError `not-found` */
export function collectionNamed(palace: Palace, name: string): CollectionRow {
  const known = palace.collections.byName(name.normalize('NFC').trim());
  if (known === undefined) throw unknownCollection(palace, name);
  return known;
}

function unknownCollection(palace: Palace, name: string): UserError {
  const names = palace.collections.all().map((each) => line(each.name));
  const more = names.length > NAMES_SHOWN ? ', …' : '';
  return new UserError('not-found', `there is no collection ${JSON.stringify(name)}`, {
    hint:
      names.length === 0
        ? 'there are no collections yet: mempalace collection add <name> --query <question> makes one'
        : `collections: ${names.slice(0, NAMES_SHOWN).join(', ')}${more}`,
  });
}

/** Whether a text can be the name of a collection, as it is: 1 to 64 characters, normalised (NFC). */
export const isCollectionName = (name: string): boolean =>
  NAME.test(name) && name === name.normalize('NFC').trim();

/** @throws UserError `usage` */
function settledName(name: string): string {
  const settled = name.normalize('NFC').trim();
  if (isCollectionName(settled)) return settled;
  throw new UserError('usage', `not a name of a collection: ${JSON.stringify(name)}`, {
    hint: '1 to 64 letters, digits, blanks and . _ -, beginning with a letter or a digit',
  });
}

/** Question and filter without secrets. An empty filter is one that allows everything. */
async function cleaned({ query, filter }: CollectionChange, scope: Scope) {
  const redacted: Record<string, number> = {};
  const clean = async (text: string): Promise<string> => {
    const result = await scope.clean(text);
    addCounts(redacted, result.redacted);
    return result.text;
  };
  const conditions: Record<string, string> = {};
  for (const [condition, value] of Object.entries(filter ?? {}))
    if (value !== undefined) conditions[condition] = await clean(value);
  const words = typeof query === 'string' ? await clean(query.trim()) : query;
  return {
    question: words === '' ? null : words,
    filter: filter === undefined ? undefined : conditions,
    redacted,
  };
}
