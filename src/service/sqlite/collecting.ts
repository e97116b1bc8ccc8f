import { DEFAULT_HALF_LIFE_DAYS, DEFAULT_WEIGHTS } from '../../core/importance.js';
import { collectionNamed } from '../../knowledge/collections/change.js';
import { storedFilter } from '../../knowledge/collections/exchange.js';
import type { CollectionRow } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Resources } from '../palace/resources.js';
import { find } from './finding.js';
import { Views } from './views.js';

type Which = Pick<Input<'collectionDrawers'>, 'name' | 'without' | 'patient'>;
type Members = Output<'collectionDrawers'>;

/** A collection finds passages, wherever the client works. */
const EVERYWHERE = { scope: 'everywhere' as const, folders: [], locations: [] };

export async function collectionDrawers(
  resources: Resources,
  which: Which,
  call: ServiceCall,
): Promise<Members> {
  const palace = resources.handle.get();
  const row = collectionNamed(palace, which.name);
  const marks = palace.collections.marks(row.id);
  const excluded = new Set(marks.flatMap(({ drawer_id, is_member }) => (is_member === 0 ? [drawer_id] : [])));
  const added = marks.flatMap(({ drawer_id, is_member }) => (is_member === 1 ? [drawer_id] : []));
  const { found, trouble } = await searched(resources, row, { ...which, spare: excluded.size }, call);
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
  return { drawers: [...first, ...others], trouble };
}

/** @param spare drawers that will be left out of what is found */
async function searched(
  resources: Resources,
  row: CollectionRow,
  { without, patient, spare }: Which & { spare: number },
  call: ServiceCall,
): Promise<{ found: Omit<Members['drawers'][number], 'isAdded'>[]; trouble: Members['trouble'] }> {
  const conditions = storedFilter(row.filter);
  const limit = row.most + spare;
  // To name a cold wing is to search it.
  const filter = { ...conditions, without: without.filter(({ wing }) => wing !== conditions.wing) };
  if (row.question !== null) {
    const { hits, trouble } = await find(
      resources,
      {
        ...{ question: row.question, filter, around: EVERYWHERE, limit, offset: 0, patient },
        ...{ ranking: 'relevance', weights: DEFAULT_WEIGHTS, halfLifeDays: DEFAULT_HALF_LIFE_DAYS },
        ...{ by: 'drawer', minScore: row.min_score },
      },
      call,
    );
    return { found: hits.map(({ drawer, score }) => ({ drawer, score })), trouble };
  }
  if (Object.keys(conditions).length === 0) return { found: [], trouble: undefined };
  const palace = resources.handle.get();
  const views = new Views(palace);
  const newest = palace.listing.drawers(filter, { limit, offset: 0 });
  return {
    found: newest.map((drawer) => ({ drawer: views.drawer(drawer), score: null })),
    trouble: undefined,
  };
}

export async function findInCollection(
  resources: Resources,
  { name, without, patient, ...asked }: Input<'findInCollection'>,
  call: ServiceCall,
): Promise<Output<'findInCollection'>> {
  const members = await collectionDrawers(resources, { name, without, patient }, call);
  const drawers = members.drawers.map(({ drawer }) => drawer.drawerId);
  return find(resources, { ...asked, patient, filter: { drawers }, around: EVERYWHERE }, call);
}
