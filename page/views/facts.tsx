import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Day } from '../parts/choice.js';
import { Conflicts } from '../parts/conflicts.js';
import { Field } from '../parts/field.js';
import { Link } from '../parts/link.js';
import { Neighbourhood } from '../parts/neighbourhood.js';
import { Pages } from '../parts/pages.js';
import { Scroll } from '../parts/scroll.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { counted } from '../words.js';

const PAGE = 100;

type Fact = Answer<'kgTimeline'>['facts'][number];

/** All facts, or those about one thing, now or at a day. */
export function Facts({ place }: { place: Place }) {
  const { entity = '', at = '' } = place;
  return (
    <>
      <h1>Facts</h1>
      <Field name="Facts about" value={entity} onValue={(entity) => goTo({ view: 'facts', entity, at })}>
        <Day name="valid on" value={at} onChoice={(at) => goTo({ view: 'facts', entity, at })} />
      </Field>
      {entity === '' ? <All place={place} /> : <About entity={entity} at={at} />}
    </>
  );
}

function All({ place }: { place: Place }) {
  const offset = Number(place.offset ?? 0);
  const stats = useAnswer<'kgStats'>('/kg/stats');
  const conflicts = useAnswer<'conflicts'>('/conflicts');
  const facts = useAnswer<'kgTimeline'>('/kg/timeline', { limit: PAGE, offset });
  return (
    <>
      <Shown asked={stats}>
        {({ triples, entities, current_facts }) => (
          <p class="quiet">
            {counted(triples, 'fact')} about {counted(entities, 'thing')}, {current_facts} current
          </p>
        )}
      </Shown>
      <Shown asked={conflicts}>{({ conflicts }) => <Conflicts conflicts={conflicts} />}</Shown>
      <Shown asked={facts}>
        {({ facts, total }) => (
          <>
            <Table facts={[...facts].reverse()} />
            <Pages
              offset={offset}
              limit={PAGE}
              total={total}
              onPage={(offset) => goTo({ view: 'facts', offset: String(offset) })}
            />
          </>
        )}
      </Shown>
    </>
  );
}

function About({ entity, at }: { entity: string; at: string }) {
  const facts = useAnswer<'kgQuery'>('/kg/query', { entity, as_of: at, limit: 1000 });
  return (
    <Shown asked={facts}>
      {({ facts, known }) =>
        facts.length === 0 ? (
          <p class="quiet">{known ? 'No fact of it was valid then.' : 'The palace has no facts about it.'}</p>
        ) : (
          <>
            <Neighbourhood entity={entity} facts={facts} />
            <Table facts={[...facts].reverse()} />
          </>
        )
      }
    </Shown>
  );
}

function Table({ facts }: { facts: readonly Fact[] }) {
  if (facts.length === 0)
    return <p class="quiet">There are no facts yet. Agents add them, and mempalace kg add.</p>;
  return (
    <Scroll name="Facts" way="across">
      <table>
        <thead>
          <tr>
            {['Subject', 'Predicate', 'Object', 'From', 'Until'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {facts.map((fact) => (
            <tr key={fact.triple_id} class={fact.current ? undefined : 'past'}>
              <td>
                <Entity name={fact.subject} />
              </td>
              <td dir="auto">{fact.predicate}</td>
              <td>
                <Entity name={fact.object} />
              </td>
              <td>{fact.valid_from ?? ''}</td>
              <td>{fact.valid_to ?? (fact.current ? '' : 'not current')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Entity({ name }: { name: string }) {
  return (
    <Link to={{ view: 'facts', entity: name }} dir="auto">
      {name}
    </Link>
  );
}
