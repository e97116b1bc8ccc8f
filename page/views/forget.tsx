import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Answer, post } from '../api.js';
import { askAgain, usePosted } from '../ask.js';
import { sending } from '../parts/field.js';
import { Link, toSource } from '../parts/link.js';
import { Shown, Trouble } from '../parts/state.js';
import { Unfold } from '../parts/unfold.js';
import { goTo, type Place } from '../place.js';
import { counted, nameOf } from '../words.js';

const KINDS = { source: 'a source', session: 'a session', wing: 'a wing', run: 'what a run filed' } as const;
type Kind = keyof typeof KINDS;
type What = Partial<Record<Kind, string | number>>;
type Preview = Answer<'forgetDryRun'>;
type Forgotten = Answer<'forget'>;

const SHOWN = 200;

/** Select, see exactly what goes, confirm. */
export function Forget({ place }: { place: Place }) {
  const what = whatOf(place);
  return (
    <>
      <h1>Forget</h1>
      <p class="final">
        <strong>Forgetting is final.</strong> The text is erased from the palace, its index, the cache and
        kept backups, and there is no undo. Later runs do not file it again. Backups and exports that you made
        elsewhere are not changed.
      </p>
      <Choose key={JSON.stringify(what)} what={what} />
      {what !== undefined && <Decide key={JSON.stringify(what)} what={what} />}
    </>
  );
}

function whatOf(place: Place): What | undefined {
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const { [kind]: value = '' } = place;
    if (value !== '') return { [kind]: kind === 'run' ? Number(value) : value };
  }
  return undefined;
}

function Choose({ what = {} }: { what: What | undefined }) {
  const [[chosen, given] = ['source', '']] = Object.entries(what);
  const [kind, setKind] = useState(chosen);
  const [value, setValue] = useState(String(given));
  return (
    <form class="chips" onSubmit={sending(() => goTo({ view: 'forget', [kind]: value.trim() }))}>
      <label class="chip">
        <span>forget</span>
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
          {Object.entries(KINDS).map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <input
        type="search"
        required
        aria-label="Its name"
        placeholder="Key or file, session id, wing, number of a run"
        dir="auto"
        value={value}
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <button type="submit">Preview</button>
    </form>
  );
}

function Decide({ what }: { what: What }) {
  const [backups, setBackups] = useState(false);
  const [done, setDone] = useState<Forgotten>();
  const preview = usePosted<'forgetDryRun'>(
    '/forget/preview',
    done === undefined ? { ...what, backups } : null,
  );
  if (done !== undefined) return <Done done={done} />;
  return (
    <Shown asked={preview}>
      {(preview) => (
        <>
          <What preview={preview} />
          {preview.sources.length + preview.already_forgotten > 0 && (
            <Confirm what={{ ...what, backups }} preview={preview} onDone={setDone}>
              <label>
                <input
                  type="checkbox"
                  checked={backups}
                  onChange={(event) => setBackups(event.currentTarget.checked)}
                />{' '}
                Remove backups that contain it instead of rewriting them, and damaged palaces that may: faster
              </label>
            </Confirm>
          )}
        </>
      )}
    </Shown>
  );
}

function What({ preview }: { preview: Preview }) {
  const { sources, already_forgotten, drawers_removed, facts_removed, staged_removed, copies } = preview;
  const { facts, collections, backups, backups_removed } = preview;
  if (sources.length + already_forgotten === 0) return <p role="status">Nothing in the palace matches.</p>;
  return (
    <section aria-labelledby="goes">
      <h2 id="goes">What goes</h2>
      <p role="status">
        {counted(sources.length, 'source')}, {counted(drawers_removed, 'drawer')},{' '}
        {counted(facts_removed, 'fact')} taken from there, {counted(staged_removed, 'staged file')}
        {already_forgotten > 0 && `, and what remains of ${already_forgotten} forgotten before`}
      </p>
      <Sources sources={sources.slice(0, SHOWN)} />
      {sources.length > SHOWN && (
        <Unfold summary={`and ${counted(sources.length - SHOWN, 'more source')}`}>
          {() => <Sources sources={sources.slice(SHOWN)} />}
        </Unfold>
      )}
      {facts.length > 0 && (
        <Unfold summary={`The ${counted(facts.length, 'fact')} taken from there`}>
          {() => (
            <ul>
              {facts.map(({ subject, predicate, object }, index) => (
                <li key={index} dir="auto">
                  {subject} {predicate} {object}
                </li>
              ))}
            </ul>
          )}
        </Unfold>
      )}
      {backups.length > 0 && (
        <>
          <h3>Backups that contain it</h3>
          <ul>
            {backups.map((file) => (
              <li key={file} dir="auto">
                {file}: {backups_removed.includes(file) ? 'removed' : 'rewritten without it'}
              </li>
            ))}
          </ul>
        </>
      )}
      {collections.length > 0 && (
        <p dir="auto">Drawers are taken out of the collections {collections.join(', ')}.</p>
      )}
      {copies.length > 0 && (
        <>
          <h3>What stays, with the same text</h3>
          <ul class="rows">
            {copies.map((copy) => (
              <li key={copy.source_key}>
                <Link to={{ view: 'forget', source: copy.source_key }} dir="auto">
                  {nameOf(copy)}
                </Link>
                <span class="quiet">{counted(copy.drawers, 'passage')} of the same text</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Sources({ sources }: Pick<Preview, 'sources'>) {
  return (
    <ul class="rows">
      {sources.map((source) => (
        <li key={source.source_key}>
          <Link to={toSource(source.source_key)} dir="auto">
            {nameOf(source)}
          </Link>
          <span class="quiet origin" dir="auto">
            {source.wing} · {counted(source.drawers, 'drawer')} · {source.origin}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Confirm({
  what,
  preview,
  onDone,
  children,
}: {
  what: Record<string, unknown>;
  preview: Preview;
  onDone: (done: Forgotten) => void;
  children: ComponentChildren;
}) {
  const [isSure, setSure] = useState(false);
  const [isErasing, setErasing] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => setSure(false), [preview.preview]);
  const erase = async (): Promise<void> => {
    setErasing(true);
    setError(undefined);
    try {
      onDone(await post<'forget'>('/forget', { ...what, preview: preview.preview }));
      askAgain();
    } catch (error) {
      setError(error);
      askAgain();
    }
    setErasing(false);
  };
  return (
    <section aria-labelledby="confirm">
      <h2 id="confirm">Confirm</h2>
      <p>{children}</p>
      <p>
        <label>
          <input
            type="checkbox"
            checked={isSure}
            onChange={(event) => setSure(event.currentTarget.checked)}
          />{' '}
          I know that this cannot be undone
        </label>
      </p>
      <button type="button" class="danger" disabled={!isSure || isErasing} onClick={() => void erase()}>
        {isErasing ? 'Erasing…' : `Erase ${counted(preview.sources.length, 'source')} for good`}
      </button>
      {error !== undefined && <Trouble error={error} />}
    </section>
  );
}

function Done({ done }: { done: Forgotten }) {
  const { sources, drawers_removed, facts_removed, staged_removed, backups, unknown, log_emptied } = done;
  return (
    <section aria-labelledby="done">
      <h2 id="done">Forgotten</h2>
      <p role="status">
        {counted(sources.length, 'source')} with {counted(drawers_removed, 'drawer')},{' '}
        {counted(facts_removed, 'fact')} and {counted(staged_removed, 'staged file')} erased;{' '}
        {counted(backups.length, 'backup')} rewritten or removed.
      </p>
      {!log_emptied && <p>A program still reads old pages of the palace: the next run erases them.</p>}
      {unknown.length > 0 && <p dir="auto">Damaged palaces may still contain it: {unknown.join(', ')}</p>}
    </section>
  );
}
