import { useEffect, useMemo, useState } from 'preact/hooks';
import { isMarkdown } from '../../src/core/front-matter.js';
import { matcherOf } from '../../src/search/matches.js';
import { useAnswer } from '../ask.js';
import { useWide } from '../wide.js';
import { nameOf } from '../words.js';
import { type Found, keyOf, lineOf, placeOf } from './hit.js';
import { Link } from './link.js';
import { Reader } from './reader.js';
import { Scroll } from './scroll.js';
import { Shown } from './state.js';

/** A hit that is only passed on the way to another one is not read, milliseconds. */
const PAUSE_MS = 150;

/** The source of the selected hit, at its line, where the screen is wide enough. */
export function Preview({ hit, query }: { hit: Found | undefined; query: string }) {
  const isWide = useWide();
  const [shown, show] = useState<{ hit: Found; query: string }>();
  useEffect(() => {
    const timer = setTimeout(() => show(hit && { hit, query }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [hit, query]);
  if (!isWide || hit === undefined) return null;
  return (
    <aside class="preview" aria-label="Preview">
      {shown && <Opened key={keyOf(shown.hit)} {...shown} />}
    </aside>
  );
}

function Opened({ hit, query }: { hit: Found; query: string }) {
  const asked = useAnswer<'showSource'>('/show', { name: keyOf(hit), preview: true });
  const matcher = useMemo(() => matcherOf(query), [query]);
  return (
    <>
      <p class="quiet" dir="auto">
        <Link to={placeOf(hit, query)} dir="auto">
          {nameOf(hit)}
        </Link>{' '}
        {hit.origin}
      </p>
      <Scroll name="The selected source" way="pane">
        <Shown asked={asked}>
          {({ text, turns }) => (
            <Reader
              text={text}
              turns={turns}
              isMarkdown={hit.kind === 'document' && isMarkdown(hit.source_file)}
              title=""
              folder={hit.directory}
              checkpoints={[]}
              line={lineOf(hit)}
              find=""
              matcher={matcher}
            />
          )}
        </Shown>
      </Scroll>
    </>
  );
}
