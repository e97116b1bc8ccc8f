import { GROUPINGS, RANKINGS } from '../../src/search/options.js';
import { useAnswer } from '../ask.js';
import { goTo, type Place } from '../place.js';
import { Choice, Day, Flag, Type, Words } from './choice.js';

/** 0 to 1. */
const isShare = (text: string): boolean => /^(?:0?\.\d+|[01])$/.test(text);

const PRIORITIES = ['high', 'medium', 'low'];
const FILTERS = ['wing', 'type', 'priority', 'since'] as const;
/** Filters that take any text; shown on demand. */
const MORE_FILTERS = ['room', 'file', 'source', 'session', 'directory'] as const;
/** How hits are looked for and ordered. */
const WAYS = { rank: RANKINGS, by: GROUPINGS } as const;
const SHOWN_ON_DEMAND = ['until', ...MORE_FILTERS, ...Object.keys(WAYS), 'min_score', 'cold'];

/** The conditions of a search, by their names in its address. */
export function filtersOf(place: Place): Record<string, string> {
  return named(place, [...FILTERS, 'until', ...MORE_FILTERS]);
}

/** What a search asks for beside its question. */
export function askedOf(place: Place): Record<string, string> {
  return named(place, [...FILTERS, ...SHOWN_ON_DEMAND]);
}

const named = (place: Place, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (place[name] === undefined ? [] : [[name, place[name]]])));

/** Filters of a search, as chips. */
export function Filters({ place }: { place: Place }) {
  const wings = useAnswer<'listWings'>('/list/wings');
  const choices = {
    wing: wings.answer?.wings.map(({ wing }) => wing) ?? [],
    priority: PRIORITIES,
    since: ['1d', '1w', '1mo', '1y'],
  };
  const set = (name: string, value: string): void => {
    const { offset: _, ...rest } = place;
    goTo({ ...rest, view: 'search', [name]: value });
  };
  return (
    <div class="chips">
      {FILTERS.map((name) => {
        const { [name]: value = '' } = place;
        const filter = { value, onChoice: (chosen: string) => set(name, chosen) };
        if (name === 'type') return <Type key={name} {...filter} />;
        return <Choice key={name} name={name} all={choices[name]} {...filter} />;
      })}
      <details class="more" open={SHOWN_ON_DEMAND.some((name) => place[name] !== undefined)}>
        <summary class="chip">more</summary>
        <div class="chips">
          <Day name="until" value={place.until ?? ''} onChoice={(day) => set('until', day)} />
          {MORE_FILTERS.map((name) => (
            <Words key={name} name={name} value={place[name] ?? ''} onChoice={(value) => set(name, value)} />
          ))}
          {Object.entries(WAYS).map(([name, all]) => (
            <Choice
              key={name}
              name={name}
              value={place[name] ?? ''}
              all={all}
              empty="usual"
              onChoice={(value) => set(name, value)}
            />
          ))}
          <Words
            name="score from"
            value={place.min_score ?? ''}
            onChoice={(value) => set('min_score', isShare(value) ? value : '')}
          />
          <Flag
            name="also cold rooms"
            on={place.cold === 'true'}
            onChoice={(on) => set('cold', on ? 'true' : '')}
          />
        </div>
      </details>
    </div>
  );
}
