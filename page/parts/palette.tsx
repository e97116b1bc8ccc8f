import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../ask.js';
import { found } from '../fuzzy.js';
import type { Place } from '../place.js';
import { ALL_VIEWS } from '../views.js';
import { lastPart, nameOf } from '../words.js';
import { DOCTOR } from './attention.js';
import { startsOf } from './feeders.js';
import { follow, toSource } from './link.js';

interface Item {
  kind: 'view' | 'command' | 'wing' | 'source' | 'search';
  name: string;
  /** Where it is, or what it is called elsewhere. */
  more: string;
  act: () => void;
}

/** Sources that are looked through: the newest. Older ones are found by searching. */
const SOURCES = 1_000;
const SHOWN = 50;
/** The list is one of ours, not of the browser. */
const OWN_LIST = { list: undefined } as const;

/** Goes to anything: views, sources, wings, and what can be done. */
export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState(0);
  const items = useItems();
  const search: Item = {
    kind: 'search',
    name: `Search for “${words.trim()}”`,
    more: '',
    act: () => follow({ view: 'search', q: words.trim() }),
  };
  const shown = [
    ...found(items, words, ({ name, more }) => `${name} ${more}`).slice(0, SHOWN),
    ...(words.trim() === '' ? [] : [search]),
  ];
  const at = Math.min(chosen, shown.length - 1);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    document.getElementById(`go-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const act = (item: Item | undefined): void => {
    if (item === undefined) return;
    dialog.current?.close();
    item.act();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((at + step + shown.length) % shown.length);
    // The field would only be emptied.
    else if (event.key === 'Escape') dialog.current?.close();
    else if (event.key === 'Enter') act(shown[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to" onClose={onClose}>
      <input
        type="search"
        role="combobox"
        {...OWN_LIST}
        aria-label="Go to a view, a source, a wing or a command"
        placeholder="Go to a view, a source, a wing or a command"
        aria-expanded="true"
        aria-controls="go"
        aria-activedescendant={`go-${at}`}
        autocomplete="off"
        dir="auto"
        value={words}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      <div role="listbox" id="go" aria-label="Places and commands">
        {shown.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div
            key={`${item.kind} ${item.name} ${item.more}`}
            id={`go-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => act(item)}
          >
            <span dir="auto">{item.name}</span>
            <span class="quiet" dir="auto">
              {item.more === '' ? item.kind : item.more}
            </span>
          </div>
        ))}
      </div>
    </dialog>
  );
}

function useItems(): Item[] {
  const { answer: wings } = useAnswer<'listWings'>('/list/wings');
  const { answer: sources } = useAnswer<'listSources'>('/list/sources', { limit: SOURCES });
  const { answer: projects } = useAnswer<'projects'>('/projects');
  return useMemo(() => {
    const item = (kind: Item['kind'], name: string, place: Place, more = ''): Item => ({
      kind,
      name,
      more,
      act: () => follow(place),
    });
    return [
      ...ALL_VIEWS.map(([view, { title }]) => item('view', title, { view })),
      item('command', 'Ask the doctor', DOCTOR),
      ...startsOf(projects?.projects).map(({ project, start }): Item => {
        const name = project === undefined ? 'File new sessions now' : `File now: ${project}`;
        return { kind: 'command', name, more: '', act: start };
      }),
      ...(wings?.wings ?? []).map(({ wing }) => item('wing', wing, { view: 'sources', wing })),
      ...(sources?.sources ?? []).map((source) => {
        const { room, kind, date, origin } = source;
        const more = `${room} · ${kind === 'conversation' ? date : lastPart(origin)}`;
        return item('source', nameOf(source), toSource(source.source_key), more);
      }),
    ];
  }, [wings, sources, projects]);
}
