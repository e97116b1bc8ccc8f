import type { Matcher } from '../../src/search/matches.js';
import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { counted, nameOf } from '../words.js';
import { Collect } from './collect.js';
import { Link, toSource } from './link.js';
import { Marks } from './marks.js';
import { Scroll } from './scroll.js';
import { Shown } from './state.js';
import { Lines } from './text.js';
import { Unfold } from './unfold.js';

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
/** Passages before and after a hit. */
const NEIGHBOURS = 2;

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
      <Unfold summary={`Why: ${hit.score.toFixed(2)}`}>{() => <Scores scores={hit.scores} />}</Unfold>
      <Unfold summary="Around it">{() => <Timeline id={hit.drawer_id} />}</Unfold>
      <Collect id={hit.drawer_id} title={nameOf(hit)} />
      <Marks
        name={hit.drawer_id}
        title={nameOf(hit)}
        pinned={hit.pinned}
        priority={hit.priority}
        source={hit.session_id ?? hit.source_file}
      />
      {more.length > 0 && (
        <p class="quiet">
          {counted(more.length, 'more passage')} in this {kind}
        </p>
      )}
    </article>
  );
}

/** Its neighbours in the source, and what else is of that day. */
function Timeline({ id }: { id: string }) {
  const timeline = useAnswer<'timeline'>('/timeline', { id, radius: NEIGHBOURS });
  return (
    <Shown asked={timeline}>
      {({ day, source, drawers, same_day, same_day_total }) => (
        <div class="around">
          {drawers.map(({ drawer_id, text, line_start, marked }) => (
            <p key={drawer_id} class={marked ? 'clamped marked' : 'clamped'} dir="auto">
              <Link to={toSource(source.source_key, line_start)}>{line_start}</Link> {text}
            </p>
          ))}
          {same_day.length > 0 && (
            <p class="quiet">
              {day}, {counted(same_day_total, 'other source')}:
            </p>
          )}
          <ul class="rows">
            {same_day.map((other) => (
              <li key={other.source_key}>
                <Link to={toSource(other.first_drawer_id)} dir="auto">
                  {nameOf(other)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Shown>
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
