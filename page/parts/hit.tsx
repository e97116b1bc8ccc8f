import type { Matcher } from '../../src/search/matches.js';
import type { Answer } from '../api.js';
import { counted, nameOf } from '../words.js';
import { Link, toSource } from './link.js';
import { Scroll } from './scroll.js';
import { Lines } from './text.js';

type Found = Answer<'search'>['hits'][number];

/** The parts of a score that say why a hit came where it is; docs/search.md explains them. */
const WHY = [
  'words',
  'semantic',
  'match',
  'beside',
  'source',
  'time',
  'relevance',
  'recency',
  'importance',
] as const;
/** Lines of a passage before it is folded. */
const FOLDED = 14;

export function Hit({ hit, matcher }: { hit: Found; matcher: Matcher }) {
  const { passage, focus, wing, room, content_date, more, kind } = hit;
  const line = focus?.line_start ?? passage.line_start;
  const isLong = passage.text.split('\n').length > FOLDED;
  const text = (
    <Lines text={passage.text} first={passage.line_start} target={focus?.line_start} matcher={matcher} />
  );
  return (
    <article class="hit">
      <h2>
        <Link to={toSource(keyOf(hit), line)} dir="auto">
          {nameOf(hit)}
        </Link>
      </h2>
      <p class="quiet" dir="auto">
        {[wing, room, content_date, `lines ${passage.line_start}–${passage.line_end}`]
          .filter(Boolean)
          .join(' · ')}
        {hit.pinned ? ' · pinned' : ''}
      </p>
      {isLong ? (
        <Scroll name="Passage" way="down">
          {text}
        </Scroll>
      ) : (
        text
      )}
      <details class="why">
        <summary>Why: {hit.score.toFixed(2)}</summary>
        <Scores scores={hit.scores} />
      </details>
      {more.length > 0 && (
        <p class="quiet">
          {counted(more.length, 'more passage')} in this {kind}
        </p>
      )}
    </article>
  );
}

/** The name by which the whole source is shown. */
const keyOf = ({ session_id, source_file }: Found): string => session_id ?? source_file;

function Scores({ scores }: { scores: Found['scores'] }) {
  return (
    <dl class="scores">
      {WHY.flatMap((name) => {
        const { [name]: value } = scores;
        return value === undefined
          ? []
          : [
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <meter min={0} max={1} value={value} aria-label={`${name}: ${value.toFixed(2)}`} />
                  <span>{value.toFixed(2)}</span>
                </dd>
              </div>,
            ];
      })}
    </dl>
  );
}
