import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { CheckpointLine } from '../parts/checkpoint-line.js';
import { Link, toSource } from '../parts/link.js';
import { Rows } from '../parts/rows.js';
import { Shown } from '../parts/state.js';
import { Lines } from '../parts/text.js';
import type { Place } from '../place.js';
import { minute } from '../words.js';

/** Where sessions stood. */
export function Checkpoints({ place }: { place: Place }) {
  const { name } = place;
  return name === undefined ? <All place={place} /> : <One name={name} />;
}

function All({ place }: { place: Place }) {
  const { session = '' } = place;
  return (
    <>
      <h1>Checkpoints</h1>
      {session !== '' && (
        <p>
          <Link to={{ view: 'checkpoints' }}>All sessions</Link>
        </p>
      )}
      <Rows<'checkpointList', Answer<'checkpointList'>['checkpoints'][number]>
        name="Checkpoints"
        path="/checkpoint/list"
        parameters={{ session }}
        place={place}
        rowPx={58}
        rowsOf={({ checkpoints }) => checkpoints}
        keyOf={({ checkpoint_id }) => checkpoint_id}
        head={(total) =>
          total === 0 && (
            <p class="quiet">
              There are no checkpoints. Runs make one when a session is compacted or ends, and{' '}
              <code>mempalace checkpoint</code> makes one now.
            </p>
          )
        }
      >
        {(checkpoint) => <CheckpointLine checkpoint={checkpoint} />}
      </Rows>
    </>
  );
}

function One({ name }: { name: string }) {
  const found = useAnswer<'checkpointShow'>('/checkpoint/show', { name });
  return (
    <>
      {found.answer === undefined && <h1>Checkpoint</h1>}
      <Shown asked={found}>
        {({ title, timestamp, wing, session, line, content }) => (
          <>
            <h1 dir="auto">{title}</h1>
            <p class="quiet" dir="auto">
              {minute(timestamp)} · {wing} ·{' '}
              <Link to={toSource(session, line ?? undefined)}>its place in the session</Link> ·{' '}
              <Link to={{ view: 'checkpoints', session }}>its checkpoints</Link>
            </p>
            <Lines text={content} first={1} />
          </>
        )}
      </Shown>
    </>
  );
}
