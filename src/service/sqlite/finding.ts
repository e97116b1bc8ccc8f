import type { UserError } from '../../core/errors.js';
import { type Found as FoundRows, type Hit as HitRows, linkedFrom, search } from '../../search/index.js';
import { usesMeaning } from '../../search/options.js';
import { ModelChanged, type Palace } from '../../store/index.js';
import type { Found, Hit, Input, ServiceCall } from '../contract/index.js';
import type { Trouble } from '../palace/models.js';
import type { Resources } from '../palace/resources.js';
import { scopeOf, withoutDerived } from './scope.js';
import { Views } from './views.js';

export async function find(
  resources: Resources,
  input: Input<'find'>,
  { signal }: ServiceCall,
): Promise<Found> {
  for (;;) {
    const palace = resources.handle.get();
    const scoped = scopeOf(palace, input);
    const { embedder, trouble } = usesMeaning(input.ranking)
      ? await resources.models.forQuestion(palace.model, { patient: input.patient, signal })
      : { embedder: undefined, trouble: undefined };
    let unembedded = trouble;
    const onUnembedded = (error: UserError): void => {
      const { message: text, hint } = error;
      unembedded = { text, hint };
    };
    try {
      const { around: _, links, maxDistance, ...settings } = input;
      const filter = withoutDerived(palace, scoped.filter);
      const found = await search({ ...settings, ...scoped, filter, palace, embedder, onUnembedded, signal });
      const isByMeaning = embedder !== undefined && unembedded === undefined;
      return answerOf(palace, found, scoped, input, { isByMeaning, trouble: unembedded });
    } catch (error) {
      if (!(error instanceof ModelChanged)) throw error;
      signal.throwIfAborted();
    }
  }
}

function answerOf(
  palace: Palace,
  { hits, absent, excluded }: FoundRows,
  { filter, preferred }: ReturnType<typeof scopeOf>,
  { links, maxDistance = Number.POSITIVE_INFINITY }: Input<'find'>,
  { isByMeaning, trouble }: { isByMeaning: boolean; trouble: Trouble | undefined },
): Found {
  const views = new Views(palace);
  const near = hits.filter(({ semantic }) => semantic === undefined || 1 - semantic <= maxDistance);
  const related = links === undefined ? undefined : linkedFrom(palace, near, { limit: links, filter });
  return {
    hits: near.map((hit) => hitOf(hit, views)),
    absent: [...absent],
    excluded: [...excluded],
    trouble,
    coverage: isByMeaning ? palace.vectors.coverage() : undefined,
    filter: {
      ...filter,
      without: filter.without && [...filter.without],
      drawers: filter.drawers && [...filter.drawers],
      projects: filter.projects?.map(plain),
    },
    preferred: [...new Set(preferred.map(({ wing }) => wing))],
    rooms: near.length > 0 ? undefined : palace.rooms().map(({ wing, room }) => ({ wing, room })),
    types: near.length > 0 || filter.type === undefined ? undefined : palace.listing.declaredTypes(),
    related: related?.map(({ drawer, link, from }) => ({ drawer: views.drawer(drawer), link, from })),
  };
}

function hitOf(
  { drawer, score, scores, strength, semantic, places, focus, passage, more }: HitRows,
  views: Views,
): Hit {
  return {
    drawer: views.drawer(drawer),
    ...{ score, scores, strength, semantic, places, focus },
    passage: passage.map((other) => ({
      drawer: views.drawer(other.drawer),
      score: other.score,
      scores: other.scores,
    })),
    more: more.map((other) => {
      const { drawerId, lineStart, lineEnd, contentDate } = other.drawer;
      return {
        drawer: { drawerId, lineStart, lineEnd, contentDate },
        score: other.score,
        scores: other.scores,
      };
    }),
  };
}

const plain = <T extends { folders: readonly string[] }>(place: T) => ({
  ...place,
  folders: [...place.folders],
});
