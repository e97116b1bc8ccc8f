/** Answers a search. */
import { leftOut } from '../../config/settings.js';
import { DEFAULT_HALF_LIFE_DAYS, DEFAULT_WEIGHTS } from '../../core/importance.js';
import type { DrawerFilter } from '../../store/index.js';
import type { Context } from '../operation.js';
import { type Asked, find } from './find.js';
import type { Found } from './found.js';
import type { SearchInput } from './index.js';
import { isWeak, searchNotes } from './notes.js';

/** Linked documents, at most. */
const LINKED = 5;
/** Hits of a client that does not say how many. */
const HITS = 5;

export function found(input: SearchInput, context: Context): Promise<Found> {
  const { wing, room, since, until, source, session, directory, file, type, priority } = input;
  const { cold, cold_places, here, around, links, max_distance: far = 0, within } = input;
  const filter: DrawerFilter = {
    ...{ wing, room, since, until, source, session, directory, file, type, priority },
    without: cold ? [] : leftOut(cold_places, { wing, room }),
  };
  return foundWith(input, context, {
    filter,
    around: { ...around, here },
    links: links ? LINKED : undefined,
    // 0 means no limit, as in MemPalace.
    maxDistance: far === 0 ? undefined : far,
    quick: input.quick,
    within,
  });
}

interface Within extends Pick<Asked, 'filter' | 'around' | 'links' | 'maxDistance' | 'quick'> {
  /** The only wing: numbers and rooms of the whole palace are not told. */
  within?: string | undefined;
  /** What is told to be searched, if it is not the filter. */
  told?: DrawerFilter;
}

type Shared = Pick<
  SearchInput,
  'query' | 'exclude' | 'rank' | 'by' | 'limit' | 'offset' | 'min_score' | 'wait' | 'cures' | 'longest'
> &
  Pick<SearchInput, 'weights' | 'half_life_days' | 'local_time'>;

/** @throws UserError `not-found` as `find` does */
export async function foundWith(
  {
    query,
    exclude,
    rank,
    by,
    limit = HITS,
    offset,
    min_score: minScore = 0,
    wait,
    cures,
    longest,
    ...asker
  }: Shared,
  { handle, models, writer, call: { signal } }: Context,
  { within, told, ...where }: Within,
): Promise<Found> {
  const question = longest === undefined ? query : endOf(query, longest);
  const order = {
    ranking: rank ?? 'relevance',
    by: by ?? 'source',
    minScore,
    weights: asker.weights ?? DEFAULT_WEIGHTS,
    halfLifeDays: asker.half_life_days ?? DEFAULT_HALF_LIFE_DAYS,
    localTime: asker.local_time,
  };
  const asked = { question, excluded: exclude, ...order, limit, offset, patient: wait, ...where };
  const result = await find({ handle, models, writer }, asked, signal);
  const { hits, excluded, absent, trouble, related, filter } = result;
  const rooms = () =>
    handle
      .get()
      .rooms()
      .filter(({ wing }) => within === undefined || wing === within);
  const coverage = within === undefined && told === undefined ? result.coverage : undefined;
  const limits = { filter: told ?? filter, offset, minScore };
  return {
    query: question,
    excluded,
    weak: isWeak(hits),
    notes: searchNotes(question, { ...result, coverage }, limits, cures, rooms),
    trouble,
    absent,
    hits,
    related,
  };
}

/** The end of a long text, where the question usually is. */
function endOf(question: string, longest: number): string {
  if (question.length <= longest) return question;
  const end = question.slice(-longest);
  return end.replace(/^[\ud800-\udfff]?\S{0,200}\s+/u, '') || end;
}
