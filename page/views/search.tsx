import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { matcherOf } from '../../src/search/matches.js';
import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Choice, Day, Words } from '../parts/choice.js';
import { CollectSearch } from '../parts/collect-search.js';
import { Hit } from '../parts/hit.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';

/** After the last key, milliseconds. */
const PAUSE_MS = 40;
const PAGE = 10;
const TYPES = ['document', 'conversation', 'diary', 'drawer', 'checkpoint'];
const PRIORITIES = ['high', 'medium', 'low'];
const FILTERS = ['wing', 'type', 'priority', 'since'] as const;
/** Filters that take any text; shown on demand. */
const MORE_FILTERS = ['room', 'file', 'source', 'session'] as const;

/** As you type; the address is the search. */
export function Search({ place }: { place: Place }) {
  const { q = '', offset = '0' } = place;
  const [typed, setTyped] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  // The address that a search makes does not take back what was typed since.
  const sent = useRef(q);
  useEffect(() => {
    if (q !== sent.current) setTyped(q);
    sent.current = q;
  }, [q]);
  useEffect(() => {
    if (typed === q) return;
    // One search is one step back, however many keys it took.
    const how = q === '' ? 'push' : 'replace';
    const timer = setTimeout(() => {
      sent.current = typed;
      goTo({ ...filtersOf(place), view: 'search', q: typed }, how);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const question = q.trim() === '' ? null : { ...filtersOf(place), q, offset, limit: PAGE, wait: 'false' };
  const found = useAnswer<'search'>('/search', question);
  return (
    <>
      <h1>Search</h1>
      <search>
        <input
          type="search"
          aria-label="Search the palace"
          placeholder="In your own words, or “exact words”"
          value={typed}
          dir="auto"
          ref={field}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'ArrowDown' && focusHit(event, 0)}
        />
        <Filters place={place} />
      </search>
      {question === null ? (
        <p class="quiet">
          Words and meaning are both compared. <kbd>/</kbd> goes to this field, <kbd>↓</kbd> and <kbd>↑</kbd>{' '}
          through the hits.
        </p>
      ) : (
        <Shown asked={found}>
          {(answer) => <Results answer={answer} place={place} offset={Number(offset)} />}
        </Shown>
      )}
    </>
  );
}

function filtersOf(place: Place): Record<string, string> {
  return Object.fromEntries(
    [...FILTERS, 'until', ...MORE_FILTERS].flatMap((name) =>
      place[name] === undefined ? [] : [[name, place[name]]],
    ),
  );
}

function Filters({ place }: { place: Place }) {
  const wings = useAnswer<'listWings'>('/list/wings');
  const choices = {
    wing: wings.answer?.wings.map(({ wing }) => wing) ?? [],
    type: TYPES,
    priority: PRIORITIES,
    since: ['1d', '1w', '1mo', '1y'],
  };
  const set = (name: string, value: string): void => {
    const { offset: _, ...rest } = place;
    goTo({ ...rest, view: 'search', [name]: value });
  };
  return (
    <div class="chips">
      {FILTERS.map((name) => {
        const { [name]: value = '' } = place;
        return (
          <Choice
            key={name}
            name={name}
            value={value}
            all={choices[name]}
            onChoice={(chosen) => set(name, chosen)}
          />
        );
      })}
      <details class="more" open={['until', ...MORE_FILTERS].some((name) => place[name] !== undefined)}>
        <summary class="chip">more</summary>
        <div class="chips">
          <Day name="until" value={place.until ?? ''} onChoice={(day) => set('until', day)} />
          {MORE_FILTERS.map((name) => (
            <Words key={name} name={name} value={place[name] ?? ''} onChoice={(value) => set(name, value)} />
          ))}
        </div>
      </details>
    </div>
  );
}

function Results({ answer, place, offset }: { answer: Answer<'search'>; place: Place; offset: number }) {
  const { query, hits, notes } = answer;
  const matcher = useMemo(() => matcherOf(query), [query]);
  const list = useRef<HTMLOListElement>(null);
  const page = (from: number): void => {
    goTo({ ...place, offset: String(from) });
    scrollTo(0, 0);
  };
  return (
    <>
      <p class="quiet" role="status">
        {hits.length === 0 ? 'Nothing was found. ' : `Hits ${offset + 1} to ${offset + hits.length}. `}
        <span dir="auto">{notes.join('; ')}</span>
      </p>
      <CollectSearch query={query} filters={filtersOf(place)} />
      <ol class="hits" ref={list} start={offset + 1}>
        {hits.map((hit, index) => (
          <li
            key={hit.drawer_id}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown') focusHit(event, index + 1);
              if (event.key === 'ArrowUp') focusHit(event, index - 1);
            }}
          >
            <Hit hit={hit} matcher={matcher} />
          </li>
        ))}
      </ol>
      <p class="pages">
        {offset > 0 && (
          <button type="button" onClick={() => page(Math.max(0, offset - PAGE))}>
            Earlier hits
          </button>
        )}
        {hits.length === PAGE && (
          <button type="button" onClick={() => page(offset + PAGE)}>
            More hits
          </button>
        )}
      </p>
    </>
  );
}

/** @param index −1: the field */
function focusHit(event: KeyboardEvent, index: number): void {
  const target =
    index < 0
      ? document.querySelector<HTMLElement>('search input')
      : document.querySelectorAll<HTMLElement>('.hits h2 a')[index];
  if (target === undefined || target === null) return;
  event.preventDefault();
  target.focus();
}
