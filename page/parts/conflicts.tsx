import type { Answer } from '../api.js';
import { Link, toSource } from './link.js';

type Conflict = Answer<'conflicts'>['conflicts'][number];

/** Facts that contradict each other, side by side. */
export function Conflicts({ conflicts }: { conflicts: readonly Conflict[] }) {
  if (conflicts.length === 0) return null;
  return (
    <section aria-labelledby="conflicts">
      <h2 id="conflicts">Conflicts</h2>
      {conflicts.map(({ subject, predicate, facts }) => (
        <article key={`${subject} ${predicate}`} class="entry conflict">
          <h3 dir="auto">
            <Link to={{ view: 'facts', entity: subject }}>{subject}</Link> {predicate}
          </h3>
          <div class="sides">
            {facts.map((fact) => (
              <Side key={fact.triple_id} fact={fact} />
            ))}
          </div>
          <p class="quiet">
            <code>
              mempalace kg resolve {facts.slice(0, 2).map(({ triple_id }) => `${triple_id} `)}
              --keep …
            </code>
          </p>
        </article>
      ))}
    </section>
  );
}

function Side({ fact }: { fact: Conflict['facts'][number] }) {
  const { object, valid_from, added_by, recorded_at, source_drawer_id } = fact;
  return (
    <div class="side">
      <strong dir="auto">{object}</strong>
      <span class="quiet" dir="auto">
        {valid_from === null ? 'since an unknown day' : `since ${valid_from}`}
      </span>
      <span class="quiet" dir="auto">
        recorded {recorded_at.slice(0, 10)} by {added_by}
      </span>
      {source_drawer_id !== null && <Link to={toSource(source_drawer_id)}>where it is from</Link>}
    </div>
  );
}
