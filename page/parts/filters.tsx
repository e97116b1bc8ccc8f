import { useAnswer } from '../ask.js';
import { goTo, type Place } from '../place.js';
import { Choice, Day, Type, Words } from './choice.js';

const PRIORITIES = ['high', 'medium', 'low'];
const FILTERS = ['wing', 'type', 'priority', 'since'] as const;
/** Filters that take any text; shown on demand. */
const MORE_FILTERS = ['room', 'file', 'source', 'session'] as const;

/** The conditions of a search, by their names in its address. */
export function filtersOf(place: Place): Record<string, string> {
  return Object.fromEntries(
    [...FILTERS, 'until', ...MORE_FILTERS].flatMap((name) =>
      place[name] === undefined ? [] : [[name, place[name]]],
    ),
  );
}

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
      <details class="more" open={['until', ...MORE_FILTERS].some((name) => place[name] !== undefined)}>
        <summary class="chip">more</summary>
        <div class="chips">
          <Day name="until" value={place.until ?? ''} onChoice={(day) => set('until', day)} />
          {MORE_FILTERS.map((name) => (
            <Words key={name} name={name} value={place[name] ?? ''} onChoice={(value) => set(name, value)} />
          ))}
        </div>
      </details>
    </div>
  );
}
