import { useEffect, useMemo } from 'preact/hooks';
import { isMarkdown } from '../../src/core/front-matter.js';
import { matcherOf } from '../../src/search/matches.js';
import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { linkedFrom } from '../links.js';
import { Link, toSource } from '../parts/link.js';
import { Marks } from '../parts/marks.js';
import { Reader } from '../parts/reader.js';
import { Begun, LISTED, Relations } from '../parts/relations.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place, useEscape } from '../place.js';
import { counted, kindOfText, minute, nameOf } from '../words.js';

/** The newest; a session has one per compaction. */
const CHECKPOINTS = 1_000;

/** A whole source, at a line. */
export function Source({ place }: { place: Place }) {
  const { name = '', q = '' } = place;
  useEscape();
  const shown = useAnswer<'showSource' | 'showDrawer'>('/show', { name });
  return (
    <>
      {shown.answer === undefined && <h1 dir="auto">{name}</h1>}
      <Shown asked={shown}>
        {(shown) =>
          shown.kind === 'drawer' ? (
            <OfDrawer shown={shown} q={q} />
          ) : (
            <Whole key={shown.source.source_key} shown={shown} place={place} />
          )
        }
      </Shown>
    </>
  );
}

/** A drawer is shown where it is in its source. */
function OfDrawer({ shown: { source, drawer }, q }: { shown: Answer<'showDrawer'>; q: string }) {
  const to = { ...toSource(source.source_key, drawer.line_start), q };
  useEffect(() => goTo(to, 'replace'), [drawer.drawer_id]);
  return null;
}

type Checkpoint = Answer<'checkpointList'>['checkpoints'][number];

/** Where a session stood, newest first, each with its place in the transcript. */
function CheckpointsOf({ session, checkpoints }: { session: string; checkpoints: readonly Checkpoint[] }) {
  if (checkpoints.length === 0) return null;
  return (
    <details class="links" open={checkpoints.length <= LISTED}>
      <summary>Its {counted(checkpoints.length, 'checkpoint')}</summary>
      <ul class="rows">
        {checkpoints.map(({ checkpoint_id, title, timestamp, line }) => (
          <li key={checkpoint_id}>
            <Link to={{ view: 'checkpoints', name: checkpoint_id }} dir="auto">
              {title}
            </Link>
            <span class="quiet">
              {minute(timestamp)}
              {line !== null && (
                <>
                  , <Link to={toSource(session, line)}>line {line}</Link>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface WholeProps {
  shown: Answer<'showSource'>;
  place: Place;
}

function Whole({ shown: { source, priority, pinned, text, turns }, place }: WholeProps) {
  const { line, find = '', q = '' } = place;
  const matcher = useMemo(() => (q === '' ? undefined : matcherOf(q)), [q]);
  const { source_key: session, kind } = source;
  const found = useAnswer<'checkpointList'>(
    '/checkpoint/list',
    kind === 'conversation' ? { session, limit: CHECKPOINTS } : null,
  );
  const { checkpoints = [] } = found.answer ?? {};
  const { answer: related } = useAnswer<'related'>('/related', { name: session });
  const placeOf = useMemo(() => {
    const keyOf = related && linkedFrom(related.source, related.links_to);
    return (href: string): Place | undefined => {
      const key = keyOf?.(href);
      return key === undefined ? undefined : toSource(key);
    };
  }, [related]);
  return (
    <>
      <h1 dir="auto">{nameOf(source)}</h1>
      <p class="quiet" dir="auto">
        {[kind, source.wing, source.room, source.directory, counted(source.drawers, 'drawer')]
          .filter((part) => part !== null)
          .join(' · ')}
        {kindOfText(source)}
      </p>
      <p class="quiet origin" dir="auto">
        {source.origin}
      </p>
      <Marks
        name={source.source_key}
        title={nameOf(source)}
        pinned={pinned}
        priority={priority}
        source={source.source_key}
      />
      <Reader
        text={text}
        turns={turns}
        isMarkdown={kind === 'document' && isMarkdown(source.source_file)}
        title={nameOf(source)}
        folder={source.directory}
        placeOf={placeOf}
        begunBy={(call) => related && <Begun related={related} of={session} call={call} />}
        beside={
          <>
            {related && <Relations related={related} of={session} />}
            <CheckpointsOf session={session} checkpoints={checkpoints} />
          </>
        }
        checkpoints={checkpoints.flatMap(({ line, ...each }) => (line === null ? [] : { ...each, line }))}
        line={line === undefined ? undefined : Number(line)}
        visit={place}
        find={find}
        matcher={matcher}
        onPlace={({ find, ...to }) => goTo({ ...toSource(source.source_key, to.line), find, q }, 'replace')}
      />
    </>
  );
}
