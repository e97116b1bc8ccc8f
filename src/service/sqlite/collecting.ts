import { DEFAULT_HALF_LIFE_DAYS, DEFAULT_WEIGHTS } from '../../core/importance.js';
import {
  changeCollection as change,
  collectionNamed,
  dropCollection as drop,
} from '../../knowledge/collections/change.js';
import { storedFilter } from '../../knowledge/collections/exchange.js';
import type { CollectionRow, Palace } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Resources } from '../palace/resources.js';
import { recording, write, writerOf } from '../palace/writer.js';
import { find } from './finding.js';
import { Views } from './views.js';

type Which = Pick<Input<'collectionDrawers'>, 'name' | 'without' | 'patient'>;
type Members = Output<'collectionDrawers'>;

/** A collection finds passages, wherever the client works. */
const EVERYWHERE = { scope: 'everywhere' as const, folders: [], locations: [] };

export function collections(palace: Palace): Output<'collections'> {
  return { collections: palace.collections.all().map(shown) };
}

export async function changeCollection(
  resources: Resources,
  wanted: Input<'changeCollection'>,
  call: ServiceCall,
): Promise<Output<'changeCollection'>> {
  const sanitiser = await writerOf(resources).sanitiser();
  const done = await write(resources, call, (palace, run) =>
    change(palace, wanted, { sanitiser, now: new Date(), record: recording(palace, run) }),
  );
  return { ...done, collection: shown(done.collection) };
}

export async function dropCollection(
  resources: Resources,
  { name }: Input<'dropCollection'>,
  call: ServiceCall,
): Promise<Output<'dropCollection'>> {
  await write(resources, call, async (palace, run) => drop(palace, name, recording(palace, run)));
  return { name };
}

export async function collectionDrawers(
  resources: Resources,
  which: Which,
  call: ServiceCall,
): Promise<Members> {
  const palace = resources.handle.get();
  const row = collectionNamed(palace, which.name);
  const marks = palace.collections.marks(row.id);
  const excluded = new Set(marks.flatMap(({ drawerId, isMember }) => (isMember === 0 ? [drawerId] : [])));
  const added = marks.flatMap(({ drawerId, isMember }) => (isMember === 1 ? [drawerId] : []));
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
  return { collection: shown(row), drawers: [...first, ...others], trouble };
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
        ...{ by: 'drawer', minScore: row.minScore },
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

function shown(row: CollectionRow): Output<'collections'>['collections'][number] {
  const { name, question, most: limit, minScore, added, excluded, madeAt } = row;
  return { name, question, filter: storedFilter(row.filter), limit, minScore, added, excluded, madeAt };
}
