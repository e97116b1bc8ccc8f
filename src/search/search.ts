import { UserError } from '../core/errors.js';
import { DEFAULT_HALF_LIFE_DAYS, DEFAULT_WEIGHTS } from '../core/importance.js';
import type { Embedder } from '../embedding/index.js';
import {
  conditionOf,
  type DrawerFilter,
  ModelChanged,
  type Palace,
  type ProjectPlace,
} from '../store/index.js';
import { Lookup } from './candidates.js';
import { type Group, group, type Hit } from './group.js';
import type { Grouping } from './options.js';
import { parseQuery } from './query.js';
import { type RankOptions, rank, strengthOf } from './rank.js';
import { timesOf } from './time/question.js';

export interface SearchOptions extends Partial<Omit<RankOptions, 'times' | 'here'>> {
  palace: Palace;
  /** Of the palace's model; undefined: search by words alone. */
  embedder: Embedder | undefined;
  /** Receives the reason when the question cannot be embedded; the search then uses words alone. Default: throws. */
  onUnembedded?: (reason: UserError) => void;
  question: string;
  /** Words and texts that no hit contains, besides those that the question excludes. */
  excluded?: readonly string[] | undefined;
  /** What the clock of the user shows, `YYYY-MM-DDThh:mm:ss`; default: that of this program. */
  localTime?: string | undefined;
  filter?: DrawerFilter;
  /** What belongs to one of these comes first among equals. */
  preferred?: readonly ProjectPlace[];
  /** Default `source`. */
  by?: Grouping;
  /** Number of hits, at least 1. */
  limit: number;
  /** Hits skipped. */
  offset?: number;
  /** Hits with a lower score are dropped. */
  minScore?: number;
  /** Looks no further than the first candidates: there may be fewer hits than there are, but none that would not be there. */
  quick?: boolean;
  /** Once aborted, no further work is begun; the lookup itself is not interrupted. */
  signal?: AbortSignal;
}

export interface Found {
  /** Best first. */
  hits: Hit[];
  /** The question's phrases if no drawer contains all of them: the hits match its words instead. Else empty. */
  absent: readonly string[];
  /** What no hit contains: the words and texts that the question or the caller excludes. */
  excluded: readonly string[];
}

/** First number of candidates by words and by meaning each. It grows while there are too few hits. */
const CANDIDATES = 50;
const CANDIDATES_AT_MOST = 4_096;

/**
 * Finds drawers by words and by meaning, best first, in one snapshot of the palace.
 *
 * @throws UserError of the embedder; the signal's reason
 * @throws ModelChanged when the palace's vectors are no longer of the embedder's model
 */
export async function search(options: SearchOptions): Promise<Found> {
  const { palace, embedder, limit, offset = 0, ranking = 'relevance' } = options;
  const { weights = DEFAULT_WEIGHTS, halfLifeDays = DEFAULT_HALF_LIFE_DAYS, now = Date.now() } = options;
  const query = parseQuery(options.question, options.excluded);
  const { excluded } = query;
  // An empty query, or one of exclusions alone, has no results.
  if (query.meaning === '') return { hits: [], absent: [], excluded };
  const vector = await vectorOf(query.meaning, options);
  options.signal?.throwIfAborted();
  const among = conditionOf(options.filter ?? {});
  const times = timesOf(query.meaning, options.localTime === undefined ? now : Date.parse(options.localTime));
  const projects = options.preferred ?? [];
  const preferred = projects.length === 0 ? undefined : conditionOf({ ...options.filter, projects });
  // A run may reuse a vector's slot for another text at any moment.
  return palace.snapshot(() => {
    if (vector !== undefined && embedder !== undefined) palace.vectors.requireModel(embedder.model);
    const lookup = new Lookup(palace, query, vector, among, preferred);
    const hits = gather(options, lookup, { ranking, weights, halfLifeDays, now, times });
    const good = hits.filter((hit) => hit.score >= (options.minScore ?? 0));
    return { hits: finished(good.slice(offset, offset + limit), lookup), absent: lookup.absent, excluded };
  });
}

/**
 * Increases the number of candidates until there are enough hits. New hits come after the earlier ones, with at most
 * their score: the tenth hit does not depend on the limit, so pages neither overlap nor omit a hit.
 */
function gather(
  { limit, offset = 0, by = 'source', quick = false }: SearchOptions,
  lookup: Lookup,
  ranking: Omit<RankOptions, 'here'>,
): Group[] {
  const known = new Set<number>();
  let hits: Group[] = [];
  let wanted = offset + limit;
  for (let count = CANDIDATES; ; count = Math.min(count * 4, CANDIDATES_AT_MOST)) {
    const { candidates, here, isAll } = lookup.find(count);
    const ranked = rank(lookup, candidates, { ...ranking, here });
    const ceiling = hits.at(-1)?.score ?? 1;
    const fresh = ranked
      .filter(({ drawer }) => !known.has(drawer.id))
      .map((found) => ({ ...found, score: Math.min(found.score, ceiling) }));
    for (const { drawer } of fresh) known.add(drawer.id);
    hits = group(fresh, by, hits);
    // A few large sources are never more hits, however many of their drawers are looked at.
    if (by === 'source' && hits.length < wanted) wanted = lookup.countSources(wanted);
    if (hits.length >= wanted || isAll || quick || count === CANDIDATES_AT_MOST) return hits;
  }
}

async function vectorOf(
  text: string,
  { embedder, onUnembedded, signal }: SearchOptions,
): Promise<Float32Array | undefined> {
  try {
    return (await embedder?.embed([text], 'query', signal))?.[0];
  } catch (error) {
    signal?.throwIfAborted();
    const passed =
      !(error instanceof UserError) || error.code === 'interrupted' || error instanceof ModelChanged;
    if (passed || onUnembedded === undefined) throw error;
    onUnembedded(error);
    return undefined;
  }
}

/** Computes the hits' strengths, and finds in each drawer the line with most of the question; the first of equals. */
function finished(groups: readonly Group[], lookup: Lookup): Hit[] {
  const lines = groups.map(({ drawer }) => drawer.text.trim().split('\n'));
  const weights = lookup.weigh(lines.flat());
  const covered = lookup.covered(groups.map(({ drawer }) => drawer));
  let at = 0;
  return groups.map((found, index) => {
    const group = { ...found, strength: strengthOf(covered[index] ?? 0, found.scores) };
    const own = weights.slice(at, at + (lines[index]?.length ?? 0));
    at += own.length;
    const best = Math.max(...own);
    if (!(best > 0)) return group;
    const line = group.drawer.lineStart + own.indexOf(best);
    return { ...group, focus: { lineStart: line, lineEnd: line } };
  });
}
