import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Answer } from '../api.js';
import { type AskedPages, usePages } from '../ask.js';
import { CollectSearch } from '../parts/collect-search.js';
import { askedOf, Filters, filtersOf } from '../parts/filters.js';
import type { Found as FoundHit } from '../parts/hit.js';
import { firstOf, focusHit, Hits, PAGE } from '../parts/hits.js';
import { Preview } from '../parts/preview.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { foundText } from '../words.js';

/** Between two searches, milliseconds. */
const PAUSE_MS = 40;
/** A search with few hits looks at thousands of candidates: it waits for the end of the typing. */
const HURRY = {
  parameters: { quick: true },
  isEnough: ({ hits }: Answer<'search'>) => hits.length === PAGE,
  pauseMs: 250,
};

/** As you type; the address is the search. */
export function Search({ place }: { place: Place }) {
  const { q = '' } = place;
  return (
    <>
      <h1 class="unseen">{q.trim() === '' ? 'Search' : `Search: ${q.trim()}`}</h1>
      <search>
        <Question place={place} />
        <Filters place={place}>
          {q.trim() !== '' && <CollectSearch query={q} filters={filtersOf(place)} />}
        </Filters>
      </search>
      <Found place={place} />
    </>
  );
}

/** The field. It asks at once, and again after a pause if keys follow faster. */
function Question({ place }: { place: Place }) {
  const { q = '' } = place;
  const [typed, setTyped] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  // Who comes back to a hit goes on there.
  useEffect(() => void (place.at === undefined && field.current?.focus()), []);
  // The address that a search makes does not take back what was typed since.
  const sent = useRef({ q, at: Number.NEGATIVE_INFINITY });
  // At once: after the next key it would be too late.
  useLayoutEffect(() => {
    if (q !== sent.current.q) setTyped(q);
    sent.current.q = q;
  }, [q]);
  const filters = useRef(askedOf(place));
  filters.current = askedOf(place);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (q: string): void => {
    if (q === sent.current.q) return;
    // One search is one step back, however many keys it took.
    const how = sent.current.q === '' ? 'push' : 'replace';
    sent.current = { q, at: performance.now() };
    goTo({ ...filters.current, view: 'search', q }, how);
  };
  const type = (text: string): void => {
    setTyped(text);
    clearTimeout(timer.current);
    const pause = sent.current.at + PAUSE_MS - performance.now();
    if (pause <= 0) send(text);
    else timer.current = setTimeout(() => send(text), pause);
  };
  return (
    <input
      type="search"
      aria-label="Search the palace"
      placeholder="In your own words, or “exact words”"
      value={typed}
      dir="auto"
      ref={field}
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) =>
        !event.isComposing && ['ArrowDown', 'Enter'].includes(event.key) && focusHit(event, 0)
      }
    />
  );
}

function Found({ place }: { place: Place }) {
  const { q = '' } = place;
  const question = q.trim() === '' ? null : { ...askedOf(place), q, wait: 'false' };
  const first = Math.floor(firstOf(place) / PAGE);
  const { of, pages, want, error, waiting } = usePages<'search'>('/search', question, {
    limit: PAGE,
    first,
    hurry: first === 0 ? HURRY : undefined,
  });
  const [answer] = pages.values();
  // Drawn when there are other hits, not with every key.
  const results = useMemo(
    () =>
      answer && (
        <Results
          of={of}
          answer={answer}
          isWhole={!waiting || HURRY.isEnough(answer)}
          pages={pages}
          want={want}
          place={place}
        />
      ),
    [of, pages, want],
  );
  if (question === null)
    return (
      <p class="quiet">
        Words and meaning are both compared. <kbd>/</kbd> goes to this field, <kbd>↓</kbd> and <kbd>↑</kbd>{' '}
        through the hits, <kbd>Enter</kbd> opens one at the line, <kbd>Esc</kbd> comes back.
      </p>
    );
  return <Shown asked={{ answer: results, error, waiting }}>{(results) => results}</Shown>;
}

interface ResultsProps extends Pick<AskedPages<Answer<'search'>>, 'of' | 'pages' | 'want'> {
  /** Of the page that was there first. */
  answer: Answer<'search'>;
  /** There are not more hits. */
  isWhole: boolean;
  place: Place;
}

function Results({ answer, isWhole, ...asked }: ResultsProps) {
  const { query, hits, notes } = answer;
  const [selected, select] = useState<FoundHit>();
  const found = foundText(hits.length, hits.length < PAGE, notes);
  return (
    <div class="found">
      <div>
        <p class="quiet" role="status" dir="auto">
          {isWhole ? found : 'Looking further…'}
        </p>
        <Hits query={query} onSelect={select} {...asked} />
      </div>
      <Preview hit={selected} query={query} />
    </div>
  );
}
