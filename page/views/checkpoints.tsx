import { useAnswer } from '../ask.js';
import { Link, toSource } from '../parts/link.js';
import { Pages } from '../parts/pages.js';
import { Shown } from '../parts/state.js';
import { Lines } from '../parts/text.js';
import { goTo, type Place } from '../place.js';
import { minute } from '../words.js';

const PAGE = 20;

/** Where sessions stood. */
export function Checkpoints({ place }: { place: Place }) {
  const { name } = place;
  return name === undefined ? <All place={place} /> : <One name={name} />;
}

function All({ place: { session = '', offset = '0' } }: { place: Place }) {
  const found = useAnswer<'checkpointList'>('/checkpoint/list', { session, offset, limit: PAGE });
  return (
    <>
      <h1>Checkpoints</h1>
      {session !== '' && (
        <p>
          <Link to={{ view: 'checkpoints' }}>All sessions</Link>
        </p>
      )}
      <Shown asked={found}>
        {({ checkpoints, total, offset }) => (
          <>
            {total === 0 && (
              <p class="quiet">
                There are no checkpoints. Runs make one when a session is compacted or ends, and{' '}
                <code>mempalace checkpoint</code> makes one now.
              </p>
            )}
            <ul class="rows">
              {checkpoints.map(({ checkpoint_id, title, timestamp, wing, directory }) => (
                <li key={checkpoint_id}>
                  <Link to={{ view: 'checkpoints', name: checkpoint_id }} dir="auto">
                    {title}
                  </Link>
                  <span class="quiet" dir="auto">
                    {[minute(timestamp), wing, directory].filter((part) => part !== null).join(' · ')}
                  </span>
                </li>
              ))}
            </ul>
            <Pages
              offset={offset}
              limit={PAGE}
              total={total}
              onPage={(offset) => goTo({ view: 'checkpoints', session, offset: String(offset) })}
            />
          </>
        )}
      </Shown>
    </>
  );
}

function One({ name }: { name: string }) {
  const found = useAnswer<'checkpointShow'>('/checkpoint/show', { name });
  return (
    <>
      {found.answer === undefined && <h1>Checkpoint</h1>}
      <Shown asked={found}>
        {({ title, timestamp, wing, session, content }) => (
          <>
            <h1 dir="auto">{title}</h1>
            <p class="quiet" dir="auto">
              {minute(timestamp)} · {wing} · <Link to={toSource(session)}>the session</Link> ·{' '}
              <Link to={{ view: 'checkpoints', session }}>its checkpoints</Link>
            </p>
            <Lines text={content} first={1} />
          </>
        )}
      </Shown>
    </>
  );
}
