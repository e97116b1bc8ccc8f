import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Day } from '../parts/choice.js';
import { Conflicts } from '../parts/conflicts.js';
import { Field } from '../parts/field.js';
import { Link } from '../parts/link.js';
import { Neighbourhood } from '../parts/neighbourhood.js';
import { Rows } from '../parts/rows.js';
import { Scroll } from '../parts/scroll.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { counted } from '../words.js';

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
      {entity === '' ? <All place={place} at={at} /> : <About entity={entity} at={at} />}
    </>
  );
}

/** The numbers and conflicts of now. */
function Now() {
  const stats = useAnswer<'kgStats'>('/kg/stats');
  const conflicts = useAnswer<'conflicts'>('/conflicts');
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
    </>
  );
}

function All({ place, at }: { place: Place; at: string }) {
  return (
    <>
      {at === '' && <Now />}
      <Rows<'kgTimeline', Fact>
        name="Facts, newest first"
        path="/kg/timeline"
        parameters={{ as_of: at }}
        place={place}
        rowPx={64}
        rowsOf={({ facts }) => [...facts].reverse()}
        keyOf={({ triple_id }) => triple_id}
        head={(total) => (at === '' ? total === 0 && <NoFacts /> : <ThenValid total={total} />)}
      >
        {(fact) => (
          <div class={fact.current ? undefined : 'past'}>
            <p class="fact">
              <Entity name={fact.subject} at={at} /> <span dir="auto">{fact.predicate}</span>{' '}
              <Entity name={fact.object} at={at} />
            </p>
            <span class="quiet">{timeOf(fact)}</span>
          </div>
        )}
      </Rows>
    </>
  );
}

/** When it is valid, in words. */
function timeOf({ valid_from: from, valid_to: to, current }: Fact): string {
  const until = to === null ? (current ? [] : ['not current']) : [`until ${to}`];
  return [...(from === null ? [] : [`from ${from}`]), ...until].join(' ');
}

const NoFacts = () => <p class="quiet">There are no facts yet. Agents add them, and mempalace facts add.</p>;

const ThenValid = ({ total }: { total: number }) => (
  <p class="quiet">{total === 0 ? 'No fact was valid then.' : `${counted(total, 'fact')} valid then`}</p>
);

function About({ entity, at }: { entity: string; at: string }) {
  const facts = useAnswer<'kgQuery'>('/kg/query', { entity, as_of: at, limit: 1000 });
  return (
    <Shown asked={facts}>
      {({ facts, known }) =>
        facts.length === 0 ? (
          <p class="quiet">{known ? 'No fact of it was valid then.' : 'The palace has no facts about it.'}</p>
        ) : (
          <>
            <Neighbourhood entity={entity} at={at} facts={facts} />
            <Table at={at} facts={[...facts].reverse()} />
          </>
        )
      }
    </Shown>
  );
}

function Table({ at, facts }: { at: string; facts: readonly Fact[] }) {
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
                <Entity name={fact.subject} at={at} />
              </td>
              <td dir="auto">{fact.predicate}</td>
              <td>
                <Entity name={fact.object} at={at} />
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

/** Leads to its facts, at the same day. */
function Entity({ name, at }: { name: string; at: string }) {
  return (
    <Link to={{ view: 'facts', entity: name, at }} dir="auto">
      {name}
    </Link>
  );
}
