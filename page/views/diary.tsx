import type { Answer } from '../api.js';
import { Link, toSource } from '../parts/link.js';
import { Rows } from '../parts/rows.js';
import { Lines } from '../parts/text.js';
import type { Place } from '../place.js';
import { minute } from '../words.js';

/** What agents wrote about their sessions, newest first. */
export function Diary({ place }: { place: Place }) {
  const { agent } = place;
  return (
    <>
      <h1>Diary</h1>
      {agent !== undefined && (
        <p>
          <Link to={{ view: 'diary' }}>All agents</Link>
        </p>
      )}
      <Rows<'diaryRead', Answer<'diaryRead'>['entries'][number]>
        name="Entries"
        class="entries"
        path="/diary"
        parameters={{ agent }}
        place={place}
        rowPx={180}
        rowsOf={({ entries }) => entries}
        keyOf={({ entry_id }) => entry_id}
        head={(total) =>
          total === 0 && (
            <p class="quiet">There are no entries. Agents write them, and mempalace diary write.</p>
          )
        }
      >
        {(entry) => (
          <article class="entry">
            <h2>
              <Link to={toSource(entry.entry_id)}>{minute(entry.timestamp)}</Link>
            </h2>
            <p class="quiet" dir="auto">
              <Link to={{ view: 'diary', agent: entry.agent }}>{entry.agent}</Link> · {entry.topic} ·{' '}
              {entry.wing}
            </p>
            <Lines text={entry.content} first={1} />
          </article>
        )}
      </Rows>
    </>
  );
}
