import type { Matcher } from '../../src/search/matches.js';
import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { excerptOf } from '../excerpt.js';
import type { Place } from '../place.js';
import { counted, nameOf } from '../words.js';
import { Collect } from './collect.js';
import { Link, toSource } from './link.js';
import { Marks } from './marks.js';
import { Shown } from './state.js';
import { Marked } from './text.js';
import { Unfold } from './unfold.js';

export type Found = Answer<'search'>['hits'][number];

/** The parts of a score that say why a hit came where it is, in plain words; docs/search.md explains them. */
const WHY = {
  words: 'words',
  semantic: 'meaning',
  match: 'whole question',
  beside: 'text beside it',
  source: 'whole source',
  time: 'time asked for',
  relevance: 'all of these',
  recency: 'how recent',
  importance: 'priority',
} as const;
/** Passages before and after a hit. */
const NEIGHBOURS = 2;

interface Props {
  hit: Found;
  matcher: Matcher;
  /** The question, which is marked in the source too. */
  query: string;
  /** Its source is beside the list. */
  isSelected?: boolean;
}

export function Hit({ hit, matcher, query, isSelected = false }: Props) {
  const { passage, wing, room, content_date, more, kind } = hit;
  const line = lineOf(hit);
  const where = [wing, room, content_date, `line ${line}`, hit.pinned ? 'pinned' : null];
  return (
    <article class={isSelected ? 'hit selected' : 'hit'}>
      <h2>
        <Link to={placeOf(hit, query)} dir="auto" aria-current={isSelected ? 'true' : undefined}>
          {nameOf(hit)}
        </Link>
      </h2>
      <p class="quiet" dir="auto">
        {where.filter(Boolean).join(' · ')}
      </p>
      <p class="excerpt" dir="auto">
        <Marked text={excerptOf(passage.text, line - passage.line_start, matcher)} matcher={matcher} />
      </p>
      <Unfold summary="…" label={`More on ${nameOf(hit)}`} class="menu">
        {() => (
          <>
            <Marks
              name={hit.drawer_id}
              title={nameOf(hit)}
              pinned={hit.pinned}
              priority={hit.priority}
              source={keyOf(hit)}
            />
            <Unfold summary="Why it was found">{() => <Scores hit={hit} />}</Unfold>
            <Unfold summary="Around it">{() => <Timeline id={hit.drawer_id} />}</Unfold>
            <Collect id={hit.drawer_id} title={nameOf(hit)} />
            {more.length > 0 && (
              <p class="quiet">
                {counted(more.length, 'more passage')} in this {kind}
              </p>
            )}
          </>
        )}
      </Unfold>
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
export const keyOf = ({ session_id, source_file }: Found): string => session_id ?? source_file;

/** The line that fits best. */
export const lineOf = ({ focus, passage }: Found): number => focus?.line_start ?? passage.line_start;

/** The source at the best line, with the question marked. */
export const placeOf = (hit: Found, q: string): Place => ({ ...toSource(keyOf(hit), lineOf(hit)), q });

function Scores({ hit: { score, scores } }: { hit: Found }) {
  const parts = Object.entries(WHY).flatMap(([name, words]) => {
    const value = scores[name as keyof typeof WHY];
    return value === undefined ? [] : [[words, value] as const];
  });
  return (
    <dl class="scores">
      {[...parts, ['its score', score] as const].map(([words, value]) => (
        <div key={words}>
          <dt>{words}</dt>
          <dd>
            <meter min={0} max={1} value={value} aria-label={`${words}: ${value.toFixed(2)}`} />
            <span>{value.toFixed(2)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
