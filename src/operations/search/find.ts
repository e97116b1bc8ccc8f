/** Searches the palace of this machine. */
import type { UserError } from '../../core/errors.js';
import { type Hit as HitRow, linkedFrom, type SearchOptions, search } from '../../search/index.js';
import { type Ranking, usesMeaning } from '../../search/options.js';
import type { Resources } from '../../service/palace/resources.js';
import { Views } from '../../service/palace/views.js';
import { ModelChanged } from '../../store/index.js';
import type { Hit } from './found.js';
import { type Around, scopeOf, withoutDerived } from './scope.js';

export interface Asked
  extends Omit<SearchOptions, 'palace' | 'embedder' | 'onUnembedded' | 'preferred' | 'signal'> {
  ranking: Ranking;
  /** Absent: everywhere, without preference. */
  around?: Around | undefined;
  /** Hits farther in meaning are omitted; those without a distance stay. */
  maxDistance?: number | undefined;
  /** Documents that the hits link to are found too, at most so many. */
  links?: number | undefined;
  /** Wait for a model that is being loaded; otherwise the question is searched by words until then. */
  patient: boolean;
}

export type Result = Awaited<ReturnType<typeof find>>;

/** @throws UserError `not-found` if only a project is to be searched, and no folder is in a filed one */
export async function find({ handle, models }: Resources, asked: Asked, signal: AbortSignal) {
  const { around, links, maxDistance = Number.POSITIVE_INFINITY, patient, ...settings } = asked;
  for (;;) {
    const palace = handle.get();
    const { filter, preferred } = scopeOf(palace, asked);
    const { embedder, trouble } = usesMeaning(asked.ranking)
      ? await models.forQuestion(palace.model, { patient, signal })
      : { embedder: undefined, trouble: undefined };
    let unembedded = trouble;
    const onUnembedded = ({ message: text, hint }: UserError): void => {
      unembedded = { text, hint };
    };
    try {
      const whole = { ...settings, filter: withoutDerived(palace, filter), preferred };
      const found = await search({ ...whole, palace, embedder, onUnembedded, signal });
      const near = found.hits.filter(({ semantic = 1 }) => 1 - semantic <= maxDistance);
      const views = new Views(palace);
      const related = links === undefined ? undefined : linkedFrom(palace, near, { limit: links, filter });
      return {
        ...found,
        hits: near.map((hit) => hitOf(hit, views)),
        related: related?.map(({ drawer, link, from }) => ({ drawer: views.drawer(drawer), link, from })),
        trouble: unembedded,
        /** Texts with a vector; undefined where only words were compared. */
        coverage: embedder !== undefined && unembedded === undefined ? palace.vectors.coverage() : undefined,
        filter,
        preferred: [...new Set(preferred.map(({ wing }) => wing))],
      };
    } catch (error) {
      if (!(error instanceof ModelChanged)) throw error;
      signal.throwIfAborted();
    }
  }
}

function hitOf(
  { drawer, score, scores, strength, semantic, places, focus, passage, more }: HitRow,
  views: Views,
): Hit {
  return {
    drawer: views.drawer(drawer),
    ...{ score, scores, strength, semantic, places, focus },
    passage: passage.map((each) => ({
      drawer: views.drawer(each.drawer),
      score: each.score,
      scores: each.scores,
    })),
    more: more.map(({ drawer: { drawerId, lineStart, lineEnd, contentDate }, score, scores }) => ({
      drawer: { drawerId, lineStart, lineEnd, contentDate },
      score,
      scores,
    })),
  };
}
