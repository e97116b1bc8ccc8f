/** What belongs to a collection now: added drawers, then those that its search finds, best first. */
import { leftOut } from '../../config/settings.js';
import { DEFAULT_HALF_LIFE_DAYS, DEFAULT_WEIGHTS } from '../../core/importance.js';
import { collectionNamed } from '../../knowledge/collections/change.js';
import { storedFilter } from '../../knowledge/collections/exchange.js';
import type { Drawer } from '../../service/contract/index.js';
import type { Resources } from '../../service/palace/resources.js';
import { Views } from '../../service/palace/views.js';
import type { CollectionRow } from '../../store/index.js';
import { find } from '../search/find.js';
import type { Found } from '../search/found.js';

export interface Which {
  name: string;
  /** Cold places, which its search omits unless its filter names them. */
  cold: readonly string[];
  /** Wait for a model that is being loaded; otherwise words alone are compared until then. */
  patient: boolean;
}

interface Scored {
  drawer: Drawer;
  /** Null for a drawer that the search did not find, and without a question. */
  score: number | null;
}

interface Belonging extends Pick<Found, 'trouble'> {
  row: CollectionRow;
  drawers: (Scored & { isAdded: boolean })[];
}

/** @throws UserError `not-found` */
export async function belongingTo(
  resources: Resources,
  which: Which,
  signal: AbortSignal,
): Promise<Belonging> {
  const palace = resources.handle.get();
  const row = collectionNamed(palace, which.name);
  const marks = palace.collections.marks(row.id);
  const excluded = new Set(marks.flatMap(({ drawer_id, is_member }) => (is_member === 0 ? [drawer_id] : [])));
  const added = marks.flatMap(({ drawer_id, is_member }) => (is_member === 1 ? [drawer_id] : []));
  const { found, trouble } = await searched(resources, row, { ...which, spare: excluded.size }, signal);
  const scores = new Map(found.map(({ drawer, score }) => [drawer.drawerId, score]));
  const views = new Views(palace);
  const isAdded = new Set(added);
  const first = added
    .flatMap((id) => palace.reading.drawersByPrefix(id, 1))
    .map((drawer) => ({
      drawer: views.drawer(drawer),
      isAdded: true,
      score: scores.get(drawer.drawerId) ?? null,
    }));
  const others = found
    .filter(({ drawer }) => !excluded.has(drawer.drawerId))
    .slice(0, row.most)
    .filter(({ drawer }) => !isAdded.has(drawer.drawerId))
    .map((each) => ({ ...each, isAdded: false }));
  return { row, drawers: [...first, ...others], trouble };
}

/** @param spare drawers that will be left out of what is found */
async function searched(
  resources: Resources,
  { filter: stored, question, most, min_score: minScore }: CollectionRow,
  { cold, patient, spare }: Which & { spare: number },
  signal: AbortSignal,
): Promise<{ found: Scored[]; trouble?: Found['trouble'] }> {
  const conditions = storedFilter(stored);
  const page = { limit: most + spare, offset: 0 };
  // To name a cold wing is to search it.
  const without = leftOut(cold, {}).filter(({ wing }) => wing !== conditions.wing);
  const filter = { ...conditions, without };
  if (question !== null) {
    const order = { weights: DEFAULT_WEIGHTS, halfLifeDays: DEFAULT_HALF_LIFE_DAYS, minScore };
    const wanted = { ranking: 'relevance', by: 'drawer', ...order, ...page } as const;
    const { hits, trouble } = await find(resources, { question, filter, patient, ...wanted }, signal);
    return { found: hits.map(({ drawer, score }) => ({ drawer, score })), trouble };
  }
  if (Object.keys(conditions).length === 0) return { found: [] };
  const palace = resources.handle.get();
  const views = new Views(palace);
  const newest = palace.listing.drawers(filter, page);
  return { found: newest.map((drawer) => ({ drawer: views.drawer(drawer), score: null })) };
}
