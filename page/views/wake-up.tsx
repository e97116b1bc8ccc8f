import { useMemo } from 'preact/hooks';
import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { type Entry, linesOf } from '../origins.js';
import { Choice, Flag, Wing } from '../parts/choice.js';
import { Field } from '../parts/field.js';
import { Link, toSource } from '../parts/link.js';
import { Marks } from '../parts/marks.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { number } from '../words.js';

type Told = Answer<'wakeUp'>;

const BUDGETS = ['400', '900', '2000', '4000'];

/** The text that an agent gets at the start of a session, with where each line comes from. */
export function WakeUp({ place }: { place: Place }) {
  const { wing = '', folder = '', tokens = '', everywhere = '' } = place;
  const told = useAnswer<'wakeUp'>('/wake-up', { wing, folder, everywhere, tokens });
  const set = (changes: Place): void =>
    goTo({ view: 'wake-up', wing, folder, tokens, everywhere, ...changes });
  return (
    <>
      <h1>Wake-up</h1>
      <p class="quiet">What agents are told when a session starts.</p>
      <Field
        name="In a folder, as /home/me/project"
        value={folder}
        onValue={(folder) => set({ folder, wing: '', everywhere: '' })}
      >
        <Wing value={wing} empty="none" onChoice={(wing) => set({ wing, folder: '', everywhere: '' })} />
        <Flag
          name="everywhere"
          on={everywhere === 'true'}
          onChoice={(on) => set({ everywhere: on ? 'true' : '', wing: '', folder: '' })}
        />
        <Choice
          name="tokens"
          value={tokens}
          all={BUDGETS}
          empty="usual"
          onChoice={(tokens) => set({ tokens })}
        />
      </Field>
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
              />{' '}
              <span class="quiet" dir="auto">
                {told.wing ??
                  (told.elsewhere === null ? 'from the whole palace' : 'in a folder of no filed project')}
                {told.identity === null && ' · there is no identity file'}
              </span>
            </p>
            {isEmpty(told) && (
              <p class="quiet">
                The last sessions and entries of the diary are told once they are filed; <em>Pin</em> at a hit
                of a search tells it first.
              </p>
            )}
            <Text told={told} />
          </>
        )}
      </Shown>
    </>
  );
}

const isEmpty = ({ identity, important, errors, diary, sessions }: Told): boolean =>
  identity === null && important.length + errors.length + diary.length + sessions.length === 0;

function Text({ told }: { told: Told }) {
  const lines = useMemo(() => linesOf(told), [told]);
  const important = new Set(told.important.map(({ drawer_id }) => drawer_id));
  return (
    <ol class="told">
      {lines.map(({ text, entry, isHead }, index) => (
        <li key={index} class={entry === undefined ? undefined : 'memory'}>
          <span dir="auto">{text === '' ? ' ' : text}</span>
          {isHead && entry !== undefined && <Origin entry={entry} />}
          {isHead && entry !== undefined && important.has(entry.drawer_id) && (
            <Marks
              name={entry.drawer_id}
              ranked={entry.kind === 'drawer' ? entry.drawer_id : entry.source_key}
              title={entry.title ?? entry.source_key}
              pinned={entry.pinned}
              priority={entry.priority}
              source={entry.source_key}
            />
          )}
        </li>
      ))}
    </ol>
  );
}

function Origin({ entry }: { entry: Entry }) {
  const { drawer_id, kind, pinned, priority, cut } = entry;
  const marks = [kind, pinned ? 'pinned' : priority, cut ? 'shortened' : null];
  return (
    <span class="from">
      <Link to={toSource(drawer_id)}>{marks.filter((mark) => mark !== null).join(', ')}</Link>
    </span>
  );
}
