import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Choice } from '../parts/choice.js';
import { Link, toSource } from '../parts/link.js';
import { Shown } from '../parts/state.js';
import { Lines } from '../parts/text.js';
import { goTo, type Place } from '../place.js';
import { number } from '../words.js';

type Told = Answer<'wakeUp'>;

const BUDGETS = ['400', '900', '2000', '4000'];
const PARTS = { important: 'Important', diary: 'Diary', sessions: 'Sessions' } as const;

/** The text that an agent gets at the start of a session, with where each part comes from. */
export function Told({ place }: { place: Place }) {
  const { wing = '', tokens = '' } = place;
  const wings = useAnswer<'listWings'>('/list/wings');
  const told = useAnswer<'wakeUp'>('/wake-up', { wing, tokens });
  const set = (changes: Place): void => goTo({ view: 'told', wing, tokens, ...changes });
  return (
    <>
      <h1>What agents are told</h1>
      <div class="chips">
        <Choice
          name="wing"
          value={wing}
          all={wings.answer?.wings.map((each) => each.wing) ?? []}
          onChoice={(wing) => set({ wing })}
        />
        <Choice name="tokens" value={tokens} all={BUDGETS} onChoice={(tokens) => set({ tokens })} />
      </div>
      <Shown asked={told}>
        {(told) => (
          <>
            <p role="status">
              {number(told.tokens)} of {number(told.budget)} tokens{' '}
              <meter
                min={0}
                max={told.budget}
                value={told.tokens}
                aria-label={`${told.tokens} of ${told.budget} tokens`}
              />
            </p>
            <div class="columns">
              <section aria-labelledby="text">
                <h2 id="text">The text</h2>
                <Lines text={told.text} first={1} />
              </section>
              <section aria-labelledby="origins">
                <h2 id="origins">Where it comes from</h2>
                <Origins told={told} />
              </section>
            </div>
          </>
        )}
      </Shown>
    </>
  );
}

function Origins({ told }: { told: Told }) {
  return (
    <>
      <p class="quiet">
        {told.identity === null ? 'There is no identity file.' : 'It begins with the identity file.'}
      </p>
      {Object.entries(PARTS).map(([part, title]) => {
        const entries = told[part as keyof typeof PARTS];
        return entries.length === 0 ? null : (
          <section key={part}>
            <h3>{title}</h3>
            <ul class="rows">
              {entries.map((entry) => (
                <li key={entry.drawer_id}>
                  <Link to={toSource(entry.source_key)} dir="auto">
                    {entry.title ?? entry.source_key}
                  </Link>
                  <span class="quiet" dir="auto">
                    {[
                      entry.date,
                      entry.wing,
                      entry.pinned ? 'pinned' : entry.priority,
                      entry.cut ? 'shortened' : null,
                    ]
                      .filter((each) => each !== null)
                      .join(' · ')}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}
