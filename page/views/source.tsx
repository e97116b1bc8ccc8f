import { useEffect } from 'preact/hooks';
import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Link, toSource } from '../parts/link.js';
import { Reader } from '../parts/reader.js';
import { Relations } from '../parts/relations.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { counted, minute, nameOf } from '../words.js';

const CHECKPOINTS = 20;

/** A whole source, at a line. */
export function Source({ place }: { place: Place }) {
  const { name = '', line, find = '' } = place;
  const shown = useAnswer<'showSource' | 'showDrawer'>('/show', { name });
  return (
    <>
      {shown.answer === undefined && <h1 dir="auto">{name}</h1>}
      <Shown asked={shown}>
        {(shown) =>
          shown.kind === 'drawer' ? (
            <OfDrawer shown={shown} />
          ) : (
            <Whole shown={shown} line={line === undefined ? undefined : Number(line)} find={find} />
          )
        }
      </Shown>
    </>
  );
}

/** A drawer is shown where it is in its source. */
function OfDrawer({ shown: { source, drawer } }: { shown: Answer<'showDrawer'> }) {
  useEffect(() => goTo(toSource(source.source_key, drawer.line_start), 'replace'), [drawer.drawer_id]);
  return null;
}

/** Where a session stood, newest first. */
function CheckpointsOf({ session }: { session: string }) {
  const found = useAnswer<'checkpointList'>('/checkpoint/list', { session, limit: CHECKPOINTS });
  const { checkpoints = [] } = found.answer ?? {};
  if (checkpoints.length === 0) return null;
  return (
    <section aria-labelledby="checkpoints">
      <h2 id="checkpoints">Its checkpoints</h2>
      <ul class="rows">
        {checkpoints.map(({ checkpoint_id, title, timestamp }) => (
          <li key={checkpoint_id}>
            <Link to={{ view: 'checkpoints', name: checkpoint_id }} dir="auto">
              {title}
            </Link>
            <span class="quiet">{minute(timestamp)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface WholeProps {
  shown: Answer<'showSource'>;
  line: number | undefined;
  find: string;
}

function Whole({ shown: { source, text, turns }, line, find }: WholeProps) {
  return (
    <>
      <h1 dir="auto">{nameOf(source)}</h1>
      <p class="quiet" dir="auto">
        {[source.kind, source.wing, source.room, source.directory, counted(source.drawers, 'drawer')]
          .filter((part) => part !== null)
          .join(' · ')}
      </p>
      <p class="quiet origin" dir="auto">
        {source.origin}
      </p>
      <p>
        <Link to={{ view: 'forget', source: source.source_key }}>Forget…</Link>
      </p>
      <Relations of={source.source_key} />
      {source.kind === 'conversation' && <CheckpointsOf session={source.source_key} />}
      <Reader
        text={text}
        turns={turns}
        line={line}
        find={find}
        onPlace={({ find, ...to }) =>
          goTo({ ...toSource(source.source_key, to.line), ...(find !== '' && { find }) }, 'replace')
        }
      />
    </>
  );
}
