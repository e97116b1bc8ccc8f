import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { matcherOf } from '../../src/search/matches.js';
import type { Answer } from '../api.js';
import type { AskedPages } from '../ask.js';
import { goTo, type Place, useFollowing } from '../place.js';
import { type Found, Hit } from './hit.js';
import { Virtual } from './virtual.js';

/** Hits that are asked for together. */
export const PAGE = 10;
/** Height of a hit that was not shown yet, pixels, about. */
const HIT_PX = 130;

type Pages = AskedPages<Answer<'search'>>['pages'];

interface Props extends Pick<AskedPages<Answer<'search'>>, 'of' | 'pages' | 'want'> {
  query: string;
  /** The address of the search; its `offset` is the first hit in view, `at` the selected one. */
  place: Place;
  /** The selected hit: the one with the focus, or that had it last; the first at the beginning. */
  onSelect: (hit: Found | undefined) => void;
}

/** The hits of a search, best first: as many as are scrolled to. */
export function Hits({ query, of, pages, want, place, onSelect }: Props) {
  const matcher = useMemo(() => matcherOf(query), [query]);
  const follow = useFollowing();
  const end = endOf(pages);
  const target = useMemo(() => {
    const first = firstOf(place);
    const block = place.at === undefined ? { block: 'start' as const } : {};
    return first === 0 ? undefined : { index: first, id: `hit-${first}`, ...block };
  }, [of]);
  const [chosen, choose] = useState({ of, index: Number(place.at ?? 0) });
  // Another question begins with its first hit; an address may name one that is not there any more.
  const selected = chosen.of === of ? Math.min(chosen.index, (end ?? Number.POSITIVE_INFINITY) - 1) : 0;
  const select = (index: number): void => {
    choose({ of, index });
    follow({ at: index === 0 ? '' : String(index) });
  };
  const at = (index: number) => pages.get(Math.floor(index / PAGE))?.hits[index % PAGE];
  const keys = useMemo(() => keysOf(pages), [pages]);
  // A link to a place that is not there any more leads to the first hits.
  const isBeyond = end !== undefined && end > 0 && [...pages.values()].every(({ hits }) => hits.length === 0);
  useEffect(() => {
    const { offset: _, at: __, ...start } = place;
    if (isBeyond) goTo(start, 'replace');
  }, [isBeyond]);
  const hit = at(selected);
  useEffect(() => onSelect(hit), [hit]);
  // Who comes back goes on where they were.
  const isThere = hit !== undefined;
  useEffect(() => {
    if (place.at !== undefined) linkOf(selected)?.focus();
  }, [isThere]);
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
      onFirst={(index) => follow({ offset: index === 0 ? '' : String(index) })}
    >
      {(index) => {
        const hit = at(index);
        return (
          <div {...rowOf(index, end)} onFocusIn={() => select(index)}>
            <Wanted page={Math.floor(index / PAGE)} want={want} />
            {hit === undefined ? (
              <div style={{ height: `${HIT_PX}px` }} />
            ) : (
              <Hit
                key={hit.drawer_id}
                hit={hit}
                matcher={matcher}
                query={query}
                isSelected={index === selected}
              />
            )}
          </div>
        );
      }}
    </Virtual>
  );
}

/** The hit to which an address leads. */
export const firstOf = ({ at, offset }: Place): number => Number(at ?? offset ?? 0);

const rowOf = (index: number, end: number | undefined) => ({
  id: `hit-${index}`,
  role: 'listitem' as const,
  // −1: nobody knows yet.
  'aria-setsize': end ?? -1,
  'aria-posinset': index + 1,
  // Anywhere in it; its link takes the keys.
  onClick({ target }: MouseEvent) {
    if (target instanceof Element && !target.closest('a, button, input, select, details'))
      linkOf(index)?.focus();
  },
  onKeyDown(event: KeyboardEvent) {
    if (event.key === 'ArrowDown') focusHit(event, index + 1);
    if (event.key === 'ArrowUp') focusHit(event, index - 1);
    if (event.key === 'Escape' && !leavesMenu(event)) focusHit(event, -1);
  },
});

/** Closes the menu of a hit that is open. */
function leavesMenu({ target }: KeyboardEvent): boolean {
  const menu = target instanceof Element ? target.closest('.menu[open]') : null;
  menu?.removeAttribute('open');
  menu?.querySelector('summary')?.focus();
  return menu !== null;
}

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

const linkOf = (index: number) => document.querySelector<HTMLElement>(`#hit-${index} h2 a`);

/** @param index −1: the field */
export function focusHit(event: KeyboardEvent, index: number): void {
  const target = index < 0 ? document.querySelector<HTMLElement>('search input[type=search]') : linkOf(index);
  if (target === null || (event.target instanceof Element && event.target.matches('select, .hit input')))
    return;
  event.preventDefault();
  target.focus();
}
