import { useEffect, useMemo } from 'preact/hooks';
import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Conversation } from '../parts/conversation.js';
import { Shown } from '../parts/state.js';
import { Lines } from '../parts/text.js';
import type { Place } from '../place.js';
import { counted, nameOf } from '../words.js';

/** A whole source, at a line. */
export function Source({ place }: { place: Place }) {
  const { name = '', line } = place;
  const shown = useAnswer<'showSource'>('/show', { name });
  return (
    <>
      {shown.answer === undefined && <h1 dir="auto">{name}</h1>}
      <Shown asked={shown}>
        {(source) => <Whole shown={source} line={line === undefined ? undefined : Number(line)} />}
      </Shown>
    </>
  );
}

function Whole({ shown, line }: { shown: Answer<'showSource'>; line: number | undefined }) {
  const { source, text, turns } = shown;
  useEffect(() => {
    if (line !== undefined) document.getElementById(`L${line}`)?.scrollIntoView({ block: 'center' });
  }, [line, shown]);
  const content = useMemo(
    () =>
      turns === null ? (
        <Lines text={text} first={1} target={line} />
      ) : (
        <Conversation text={text} turns={turns} target={line} />
      ),
    [shown, line],
  );
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
      {content}
    </>
  );
}
