/** Where the page is: the query of its address. A link to it opens the same view. */
import { useEffect, useRef, useState } from 'preact/hooks';

export type Place = Readonly<Record<string, string>>;

const CHANGED = 'place';

const placeNow = (): Place => Object.fromEntries(new URLSearchParams(location.search));

export function hrefOf(place: Place): string {
  const query = new URLSearchParams(Object.entries(place).filter(([, value]) => value !== ''));
  return `/?${query}`;
}

/** @param how `replace`: the former place is not gone back to */
export function goTo(place: Place, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', hrefOf(place));
  else history.replaceState(null, '', hrefOf(place));
  dispatchEvent(new Event(CHANGED));
}

export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const update = (): void => setPlace(placeNow());
    for (const event of [CHANGED, 'popstate']) addEventListener(event, update);
    return () => {
      for (const event of [CHANGED, 'popstate']) removeEventListener(event, update);
    };
  }, []);
  return place;
}

/** The address follows the view after this time, milliseconds. */
const PAUSE_MS = 200;

/** Makes the address name the first row in view. It says nothing to the views: it is for coming back. */
export function useFollowing(place: Place): (offset: number) => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (offset) => {
    clearTimeout(timer.current);
    const { offset: _, ...rest } = place;
    const to = offset === 0 ? rest : { ...rest, offset: String(offset) };
    timer.current = setTimeout(() => history.replaceState(null, '', hrefOf(to)), PAUSE_MS);
  };
}
