/** Where the page is: the query of its address. A link to it opens the same view. */
import { useEffect } from 'preact/hooks';
import { useHeard } from './heard.js';
import { isForPage, useKey } from './keyboard.js';

export type Place = Readonly<Record<string, string>>;

const CHANGED = 'place';

const placeNow = (): Place => Object.fromEntries(new URLSearchParams(location.search));

export function hrefOf(place: Place): string {
  const query = new URLSearchParams(Object.entries(place).filter(([, value]) => value !== ''));
  return `/?${query}`;
}

/** A place that was come to from another one of the page. */
const CAME = 'came';

/** @param how `replace`: the former place is not gone back to */
export function goTo(place: Place, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') settle();
  else drop();
  if (how === 'push') history.pushState(CAME, '', hrefOf(place));
  else history.replaceState(history.state, '', hrefOf(place));
  dispatchEvent(new Event(CHANGED));
}

/** Escape goes back to where the user came from, unless something else wants the key. */
export function useEscape(): void {
  useKey((event) => {
    if (event.key === 'Escape' && isForPage(event) && history.state === CAME) history.back();
  });
}

export const usePlace = (): Place => useHeard(placeNow, CHANGED, 'popstate');

/** The address follows the view after this time, milliseconds. */
const PAUSE_MS = 200;

/** What the address has to follow, and when. */
let following: { change: Place; timer?: ReturnType<typeof setTimeout> } = { change: {} };

function drop(): void {
  clearTimeout(following.timer);
  following = { change: {} };
}

function settle(): void {
  const { change } = following;
  drop();
  if (Object.keys(change).length > 0)
    history.replaceState(history.state, '', hrefOf({ ...placeNow(), ...change }));
}

/**
 * Makes the address name what is in view, after a pause or when another place is gone to, without a word to the views: it is for
 * coming back. An empty value is left out.
 */
function follow(change: Place): void {
  clearTimeout(following.timer);
  following = { change: { ...following.change, ...change }, timer: setTimeout(settle, PAUSE_MS) };
}

/** The address follows as long as the view is there. */
export function useFollowing(): typeof follow {
  useEffect(() => drop, []);
  return follow;
}
