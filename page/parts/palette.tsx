import { useEffect, useRef, useState } from 'preact/hooks';
import { post } from '../api.js';
import { useAnswer } from '../ask.js';
import { found } from '../fuzzy.js';
import { goTo, type Place } from '../place.js';
import { ALL_VIEWS } from '../views.js';
import { lastPart, nameOf } from '../words.js';
import { toSource } from './link.js';
import { making } from './toast.js';

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

const to =
  (place: Place): (() => void) =>
  () => {
    goTo(place);
    scrollTo(0, 0);
  };

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
    act: to({ view: 'search', q: words.trim() }),
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
  const start = (path: string, body: Record<string, string>, name: string) => () =>
    void making(async () => {
      await post<never>(path, body);
      return { text: `Started: ${name}`, undo: undefined };
    });
  const command = (name: string, act: () => void): Item => ({ kind: 'command', name, more: '', act });
  return [
    ...ALL_VIEWS.map(
      ([view, { title }]): Item => ({ kind: 'view', name: title, more: '', act: to({ view }) }),
    ),
    command('Ask the doctor', to({ view: 'health', doctor: 'ask' })),
    command('File new sessions now', start('/run/session', {}, 'new and grown sessions')),
    ...(projects?.projects ?? [])
      .filter(({ there }) => there)
      .map(({ dir }) => command(`File now: ${dir}`, start('/run/docs', { project: dir }, dir))),
    ...(wings?.wings ?? []).map(
      ({ wing }): Item => ({ kind: 'wing', name: wing, more: '', act: to({ view: 'sources', wing }) }),
    ),
    ...(sources?.sources ?? []).map(
      (source): Item => ({
        kind: 'source',
        name: nameOf(source),
        more: `${source.room} · ${source.kind === 'conversation' ? source.date : lastPart(source.origin)}`,
        act: to(toSource(source.source_key)),
      }),
    ),
  ];
}
