/** Where the page is: the query of its address. A link to it opens the same view. */
import { useEffect, useState } from 'preact/hooks';

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
