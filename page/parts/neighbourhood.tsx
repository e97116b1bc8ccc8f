import type { Answer } from '../api.js';
import { counted } from '../words.js';
import { Link } from './link.js';
import { Scroll } from './scroll.js';

type Fact = Answer<'kgQuery'>['facts'][number];

const [WIDTH, HEIGHT] = [760, 420];
/** More would lie on each other; the table has all. */
const MOST = 14;
const MOST_CHARS = 26;

interface Neighbour {
  name: string;
  predicates: string[];
  isPast: boolean;
}

interface Props {
  entity: string;
  /** The day that the links keep. */
  at: string;
  facts: readonly Fact[];
}

/** A thing and what its facts lead to, around it. */
export function Neighbourhood({ entity, at, facts }: Props) {
  const all = neighboursOf(facts);
  const shown = all.slice(0, MOST);
  if (shown.length === 0) return null;
  return (
    <figure class="graph">
      <Scroll name={`Graph of the facts around ${entity}`} way="across">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
          <title>{`Facts around ${entity}`}</title>
          {shown.map((neighbour, index) => (
            <Edge key={neighbour.name} neighbour={neighbour} {...placeOf(index, shown.length)} />
          ))}
          <Node name={entity} x={WIDTH / 2} y={HEIGHT / 2} kind="centre" />
          {shown.map(({ name }, index) => (
            <Link key={name} to={{ view: 'facts', entity: name, at }}>
              <Node name={name} {...placeOf(index, shown.length)} kind="node" />
            </Link>
          ))}
        </svg>
      </Scroll>
      {all.length > shown.length && (
        <figcaption class="quiet">{counted(all.length - shown.length, 'more')} in the table</figcaption>
      )}
    </figure>
  );
}

/** Those with a current fact first. */
function neighboursOf(facts: readonly Fact[]): Neighbour[] {
  const found = new Map<string, Neighbour>();
  for (const { direction, subject, object, predicate, current } of facts) {
    const name = direction === 'outgoing' ? object : subject;
    const label = direction === 'outgoing' ? `${predicate} →` : `← ${predicate}`;
    const { predicates, isPast } = found.get(name) ?? { predicates: [], isPast: true };
    found.set(name, {
      name,
      predicates: [...new Set([...predicates, label])],
      isPast: isPast && !current,
    });
  }
  return [...found.values()].sort((one, other) => Number(one.isPast) - Number(other.isPast));
}

function placeOf(index: number, count: number): { x: number; y: number } {
  const angle = (2 * Math.PI * (index + 0.5)) / count;
  return {
    x: WIDTH / 2 + Math.sin(angle) * (WIDTH / 2 - 110),
    y: HEIGHT / 2 - Math.cos(angle) * (HEIGHT / 2 - 28),
  };
}

function Edge({ neighbour, x, y }: { neighbour: Neighbour; x: number; y: number }) {
  const { predicates, isPast } = neighbour;
  const share = 0.55;
  return (
    <g class={isPast ? 'past' : undefined}>
      <line x1={WIDTH / 2} y1={HEIGHT / 2} x2={x} y2={y} />
      <text class="edge" x={WIDTH / 2 + (x - WIDTH / 2) * share} y={HEIGHT / 2 + (y - HEIGHT / 2) * share}>
        {short(predicates.join(', '))}
      </text>
    </g>
  );
}

function Node({ name, x, y, kind }: { name: string; x: number; y: number; kind: 'centre' | 'node' }) {
  const label = short(name);
  const width = Math.max(48, widthOf(label) + 24);
  return (
    <g class={kind}>
      <title>{name}</title>
      <rect x={x - width / 2} y={y - 15} width={width} height={30} rx={15} />
      <text x={x} y={y + 5}>
        {label}
      </text>
    </g>
  );
}

const short = (text: string): string => {
  const chars = [...text];
  return chars.length > MOST_CHARS ? `${chars.slice(0, MOST_CHARS - 1).join('')}…` : text;
};

/** A character of Chinese, Japanese or Korean is twice as wide. */
const widthOf = (text: string): number =>
  [...text].reduce((width, char) => width + ((char.codePointAt(0) ?? 0) > 0x2e7f ? 15 : 7.6), 0);
