import { useAnswer } from '../ask.js';
import { Link, toSource } from '../parts/link.js';
import { Pages } from '../parts/pages.js';
import { Shown } from '../parts/state.js';
import { Lines } from '../parts/text.js';
import { goTo, type Place } from '../place.js';
import { minute } from '../words.js';

const PAGE = 20;

/** What agents wrote about their sessions, newest first. */
export function Diary({ place }: { place: Place }) {
  const { agent, offset = '0' } = place;
  const entries = useAnswer<'diaryRead'>('/diary', { agent, offset, limit: PAGE });
  return (
    <>
      <h1>Diary</h1>
      {agent !== undefined && (
        <p>
          <Link to={{ view: 'diary' }}>All agents</Link>
        </p>
      )}
      <Shown asked={entries}>
        {({ entries, total, offset }) => (
          <>
            {entries.length === 0 && (
              <p class="quiet">There are no entries. Agents write them, and mempalace diary write.</p>
            )}
            {entries.map((entry) => (
              <article key={entry.entry_id} class="entry">
                <h2>
                  <Link to={toSource(entry.entry_id)}>{minute(entry.timestamp)}</Link>
                </h2>
                <p class="quiet" dir="auto">
                  <Link to={{ view: 'diary', agent: entry.agent }}>{entry.agent}</Link> · {entry.topic} ·{' '}
                  {entry.wing}
                </p>
                <Lines text={entry.content} first={1} />
              </article>
            ))}
            <Pages
              offset={offset}
              limit={PAGE}
              total={total}
              onPage={(offset) =>
                goTo({ view: 'diary', ...(agent !== undefined && { agent }), offset: String(offset) })
              }
            />
          </>
        )}
      </Shown>
    </>
  );
}
