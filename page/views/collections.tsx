import { useMemo, useState } from 'preact/hooks';
import { matcherOf } from '../../src/search/matches.js';
import { type Answer, post } from '../api.js';
import { useAnswer } from '../ask.js';
import { collect } from '../parts/collect.js';
import { Field } from '../parts/field.js';
import { Hit } from '../parts/hit.js';
import { Link, toSource } from '../parts/link.js';
import { Shown } from '../parts/state.js';
import { making } from '../parts/toast.js';
import { goTo, type Place } from '../place.js';
import { counted, foundText, nameOf } from '../words.js';

type Collection = Answer<'collectionShow'>['collection'];

/** Stored searches with chosen drawers. */
export function Collections({ place }: { place: Place }) {
  const { name, q = '' } = place;
  return name === undefined ? <All /> : <One name={name} q={q} />;
}

function All() {
  const found = useAnswer<'collectionList'>('/collection/list');
  return (
    <>
      <h1>Collections</h1>
      <Shown asked={found}>
        {({ collections }) => (
          <>
            {collections.length === 0 && (
              <p class="quiet">
                There are no collections. <em>Collect</em> at a hit of a search makes one;{' '}
                <em>Collect this search</em> and <code>mempalace collection add</code> make one of a whole
                search.
              </p>
            )}
            <ul class="rows">
              {collections.map((collection) => (
                <li key={collection.name}>
                  <Link to={{ view: 'collections', name: collection.name }} dir="auto">
                    {collection.name}
                  </Link>
                  <Search collection={collection} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
    </>
  );
}

function Search({ collection: { query, filter, added, excluded } }: { collection: Collection }) {
  const parts = [
    ...(query === null ? [] : [`“${query}”`]),
    ...Object.entries(filter).map(([name, value]) => `${name} ${value}`),
    ...(added > 0 ? [`${added} added`] : []),
    ...(excluded > 0 ? [`${excluded} excluded`] : []),
  ];
  return (
    <span class="quiet" dir="auto">
      {parts.join(' · ')}
    </span>
  );
}

function One({ name, q }: { name: string; q: string }) {
  const shown = useAnswer<'collectionShow'>('/collection/show', { name });
  const found = useAnswer<'search'>('/collection/query', q === '' ? null : { name, q, limit: 20 });
  const matcher = useMemo(() => matcherOf(q), [q]);
  return (
    <>
      <h1 dir="auto">{name}</h1>
      <p>
        <Link to={{ view: 'collections' }}>All collections</Link>
      </p>
      <Field name="Search in it" value={q} onValue={(q) => goTo({ view: 'collections', name, q })} />
      {q === '' ? (
        <Shown asked={shown}>
          {(shown) => (
            <>
              <Members shown={shown} />
              <Drop shown={shown} />
            </>
          )}
        </Shown>
      ) : (
        <Shown asked={found}>
          {({ hits, notes }) => (
            <>
              <p class="quiet" role="status" dir="auto">
                {foundText(hits.length, true, notes)}
              </p>
              {hits.map((hit) => (
                <Hit key={hit.drawer_id} hit={hit} matcher={matcher} query={q} />
              ))}
            </>
          )}
        </Shown>
      )}
    </>
  );
}

/** Drawers that one request can add. */
const MOST_IDS = 1000;

/** Deletes a collection. It can be undone if its drawers are known: those that it excludes are not shown. */
function Drop({ shown: { collection, drawers } }: { shown: Answer<'collectionShow'> }) {
  const [isSure, setSure] = useState(false);
  const { name, query, filter, limit, min_score, excluded, added } = collection;
  const isUndone = excluded === 0 && added <= MOST_IDS;
  const add = drawers.filter((drawer) => drawer.added).map(({ drawer_id }) => drawer_id);
  const drop = (): void =>
    void making(async () => {
      await post<'collectionDrop'>('/collection/drop', { name });
      goTo({ view: 'collections' });
      const again = { name, query, filter, limit, min_score, add };
      return {
        text: `${name}: dropped; its drawers stay`,
        undo: isUndone ? () => post<'collectionAdd'>('/collection', again) : undefined,
      };
    });
  return (
    <p class="marks">
      <button type="button" onClick={() => (isUndone || isSure ? drop() : setSure(true))}>
        {isSure ? 'Drop it for good' : 'Drop this collection'}
      </button>
      {isSure && <span role="status">What it excludes cannot be restored.</span>}
    </p>
  );
}

function Members({ shown: { collection, drawers } }: { shown: Answer<'collectionShow'> }) {
  return (
    <>
      <p role="status">
        {counted(drawers.length, 'drawer')} <Search collection={collection} />
      </p>
      <ul class="rows">
        {drawers.map((drawer) => (
          <li key={drawer.drawer_id}>
            <Link to={toSource(drawer.source_key, drawer.line_start)} dir="auto">
              {nameOf(drawer)}
            </Link>
            <span class="clamped" dir="auto">
              {drawer.text}
            </span>
            <span class="quiet" dir="auto">
              {[
                drawer.content_date,
                drawer.wing,
                drawer.added ? 'added' : null,
                drawer.score === null ? null : drawer.score.toFixed(2),
              ]
                .filter((part) => part !== null)
                .join(' · ')}
            </span>
            <p class="marks">
              <button
                type="button"
                onClick={() => collect(collection.name, drawer.drawer_id, nameOf(drawer), 'exclude')}
              >
                Exclude
              </button>
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
