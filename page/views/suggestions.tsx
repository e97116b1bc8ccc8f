import { useState } from 'preact/hooks';
import { type Answer, post } from '../api.js';
import { useAnswer } from '../ask.js';
import { Choice } from '../parts/choice.js';
import { Link, toSource } from '../parts/link.js';
import { Shown } from '../parts/state.js';
import { making } from '../parts/toast.js';
import { counted } from '../words.js';

type Suggestion = Answer<'metabolism'>['proposals'][number];

/** What a step does, to a source and to files. */
const STEPS: Record<Suggestion['step'], { name: string; does: string }> = {
  reflect: {
    name: 'Write about it',
    does: 'A draft is made in the reflection wing of the palace of files, with the passage. Nothing else changes. To take it back, delete the draft.',
  },
  constitution: {
    name: 'Tell it first',
    does: 'It is pinned: every wake-up tells it first. To take it back, unpin it in Wake-up.',
  },
  archive: {
    name: 'Archive it',
    does: 'Its file is moved into the archive of the palace of files. To take it back, move the file to where it was.',
  },
  cold: {
    name: 'Leave the room out of searches',
    does: 'The room is added to search.cold of the settings: only searches that ask for cold rooms find it. To take it back, remove it there. The broker reads settings at its start.',
  },
};
const OUTPUTS = [
  'principle-card',
  'prompt-kernel',
  'failure-pattern',
  'thinking-path',
  'constitution-candidate',
] satisfies NonNullable<Suggestion['output']>[];

/** What is worth reflecting on, telling first, or leaving out. Nothing is done unless the user does it. */
export function Suggestions() {
  const asked = useAnswer<'metabolism'>('/metabolism');
  return (
    <>
      <h1>Suggestions</h1>
      <Shown asked={asked}>
        {({ since, used, proposals }) => (
          <>
            <p class="quiet" role="status">
              {since === null
                ? 'No uses were counted yet. '
                : `Used since ${since}: ${counted(used, 'drawer')}. `}
              {proposals.length === 0 ? 'There is nothing to suggest.' : 'Nothing is ever deleted.'}
            </p>
            {proposals.map((suggestion) => (
              <Suggested key={suggestion.id} suggestion={suggestion} />
            ))}
          </>
        )}
      </Shown>
    </>
  );
}

function Suggested({ suggestion }: { suggestion: Suggestion }) {
  const { id, step, output, wing, room, title, source_key, found, opened, days, date } = suggestion;
  const { name, does } = STEPS[step];
  const [as, setAs] = useState<string>(output ?? '');
  const [isBusy, setBusy] = useState(false);
  const apply = async (): Promise<void> => {
    setBusy(true);
    await making(async () => {
      const body = { id, ...(step === 'reflect' && as !== '' && { as }) };
      const { file } = await post<'metabolismApplied'>('/metabolism/apply', body);
      return { text: `${name}: done${file === null ? '' : `, ${file}`}`, undo: undefined };
    });
    setBusy(false);
  };
  return (
    <article class="entry">
      <h2 dir="auto">
        {source_key === null ? (
          `${wing} / ${room}`
        ) : (
          <Link to={toSource(source_key)}>{title ?? source_key}</Link>
        )}
      </h2>
      <p class="quiet" dir="auto">
        {wing} / {room} ·{' '}
        {found + opened === 0
          ? `unused, of ${date}`
          : `found ${found}, opened ${opened}, on ${counted(days, 'day')}`}
      </p>
      <details class="disclosure">
        <summary>{name}…</summary>
        <p>{does}</p>
        <p class="marks">
          {step === 'reflect' && <Choice name="type" value={as} all={OUTPUTS} onChoice={setAs} />}
          <button type="button" disabled={isBusy} onClick={() => void apply()}>
            {name}
          </button>
        </p>
        <p class="quiet">
          <code>mempalace suggestions --apply {id}</code>
        </p>
      </details>
    </article>
  );
}
