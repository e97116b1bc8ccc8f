import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { dayOfMoment } from '../../src/core/day.js';
import { type Answer, post } from '../api.js';
import { Link, toSource } from './link.js';
import { making } from './toast.js';

type Conflict = Answer<'conflicts'>['conflicts'][number];
type Fact = Conflict['facts'][number];

/** Facts that contradict each other, side by side; one is kept, with the reason. */
export function Conflicts({ conflicts }: { conflicts: readonly Conflict[] }) {
  if (conflicts.length === 0) return null;
  return (
    <section aria-labelledby="conflicts">
      <h2 id="conflicts">Conflicts</h2>
      {conflicts.map((conflict) => (
        <Sides key={`${conflict.subject} ${conflict.predicate}`} conflict={conflict} />
      ))}
    </section>
  );
}

function Sides({ conflict: { subject, predicate, facts } }: { conflict: Conflict }) {
  const [because, setBecause] = useState('');
  const reason = because.trim();
  const keep = ({ triple_id: kept, object }: Fact): void =>
    void making(async () => {
      for (const { triple_id } of facts)
        if (triple_id !== kept)
          await post<'kgResolve'>('/kg/resolve', { facts: [kept, triple_id], keep: kept, because: reason });
      return { text: `${subject} ${predicate} ${object}: kept, and the reason is filed`, undo: undefined };
    });
  return (
    <article class="entry conflict">
      <h3 dir="auto">
        <Link to={{ view: 'facts', entity: subject }}>{subject}</Link> {predicate}
      </h3>
      <div class="sides">
        {facts.map((fact) => (
          <Side key={fact.triple_id} fact={fact}>
            <button type="button" disabled={reason === ''} onClick={() => keep(fact)}>
              Keep this
            </button>
          </Side>
        ))}
      </div>
      <p class="chips">
        <label class="chip">
          <span>because</span>
          <input
            dir="auto"
            placeholder="the reason, which is filed"
            value={because}
            onInput={(event) => setBecause(event.currentTarget.value)}
          />
        </label>
        <span class="quiet">{facts.length === 2 ? 'The other ends now.' : 'The others end now.'}</span>
      </p>
    </article>
  );
}

function Side({ fact, children }: { fact: Fact; children: ComponentChildren }) {
  const { object, valid_from, added_by, recorded_at, source_drawer_id } = fact;
  return (
    <div class="side">
      <strong dir="auto">{object}</strong>
      <span class="quiet" dir="auto">
        {valid_from === null ? 'since an unknown day' : `since ${valid_from}`}
      </span>
      <span class="quiet" dir="auto">
        recorded {dayOfMoment(recorded_at)} by {added_by}
      </span>
      {source_drawer_id !== null && <Link to={toSource(source_drawer_id)}>where it is from</Link>}
      <p class="marks">{children}</p>
    </div>
  );
}
