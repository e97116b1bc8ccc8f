import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { matcherOf } from '../../src/search/matches.js';
import type { Answer } from '../api.js';
import type { AskedPages } from '../ask.js';
import { goTo, type Place, useFollowing } from '../place.js';
import { Hit } from './hit.js';
import { Virtual } from './virtual.js';

/** Hits that are asked for together. */
export const PAGE = 10;
/** Height of a hit that was not shown yet, pixels, about. */
const HIT_PX = 260;

type Pages = AskedPages<Answer<'search'>>['pages'];

interface Props extends Pick<AskedPages<Answer<'search'>>, 'of' | 'pages' | 'want'> {
  query: string;
  /** The address of the search; its `offset` is the first hit in view. */
  place: Place;
}

/** The hits of a search, best first: as many as are scrolled to. */
export function Hits({ query, of, pages, want, place }: Props) {
  const matcher = useMemo(() => matcherOf(query), [query]);
  const follow = useFollowing(place);
  const end = endOf(pages);
  const target = useMemo(() => {
    const first = Number(place.offset ?? 0);
    return first === 0 ? undefined : { index: first, id: `hit-${first}`, block: 'start' as const };
  }, [of]);
  const at = (index: number) => pages.get(Math.floor(index / PAGE))?.hits[index % PAGE];
  const keys = useMemo(() => keysOf(pages), [pages]);
  // A link to a place that is not there any more leads to the first hits.
  const isBeyond = end !== undefined && end > 0 && [...pages.values()].every(({ hits }) => hits.length === 0);
  useEffect(() => {
    const { offset: _, ...start } = place;
    if (isBeyond) goTo(start, 'replace');
  }, [isBeyond]);
  if (end === 0 || isBeyond) return null;
  return (
    <Virtual
      role="list"
      name="Hits"
      class="hits"
      count={end ?? (Math.max(...pages.keys()) + 1) * PAGE + 1}
      whole={(pages.get(0)?.hits.length ?? PAGE) < PAGE ? PAGE : 0}
      keyOf={(index) => keys.get(index) ?? index}
      heightOf={() => HIT_PX}
      target={target}
      onFirst={follow}
    >
      {(index) => {
        const hit = at(index);
        return (
          <div {...rowOf(index, end)}>
            <Wanted page={Math.floor(index / PAGE)} want={want} />
            {hit === undefined ? (
              <div style={{ height: `${HIT_PX}px` }} />
            ) : (
              <Hit key={hit.drawer_id} hit={hit} matcher={matcher} />
            )}
          </div>
        );
      }}
    </Virtual>
  );
}

const rowOf = (index: number, end: number | undefined) => ({
  id: `hit-${index}`,
  role: 'listitem' as const,
  // −1: nobody knows yet.
  'aria-setsize': end ?? -1,
  'aria-posinset': index + 1,
  onKeyDown(event: KeyboardEvent) {
    if (event.key === 'ArrowDown') focusHit(event, index + 1);
    if (event.key === 'ArrowUp') focusHit(event, index - 1);
  },
});

/**
 * The keys of hits, by index: a hit that another question finds too stays in the document, with the focus. A hit may be in two
 * pages, when the palace changed between them: only its first place has the key.
 */
function keysOf(pages: Pages): Map<number, string> {
  const places = new Map<string, number>();
  for (const [page, { hits }] of pages)
    for (const [index, { drawer_id }] of hits.entries())
      if (!places.has(drawer_id)) places.set(drawer_id, page * PAGE + index);
  return new Map([...places].map(([key, index]) => [index, key]));
}

/** The number of hits, once the last of them is there. */
function endOf(pages: Pages): number | undefined {
  const ends = [...pages].flatMap(([page, { hits }]) =>
    hits.length < PAGE ? [page * PAGE + hits.length] : [],
  );
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Asks for the page of what is in view. */
function Wanted({ page, want }: { page: number; want: (page: number) => void }) {
  useLayoutEffect(() => want(page), [page, want]);
  return null;
}

/** @param index −1: the field */
export function focusHit(event: KeyboardEvent, index: number): void {
  const target = document.querySelector<HTMLElement>(
    index < 0 ? 'search input[type=search]' : `#hit-${index} h2 a`,
  );
  if (target === null) return;
  event.preventDefault();
  target.focus();
}
