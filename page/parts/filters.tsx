import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { GROUPINGS, RANKINGS } from '../../src/search/options.js';
import { goTo, type Place } from '../place.js';
import { Choice, Day, Type, Wing, Words } from './choice.js';

/** 0 to 1. */
const isShare = (text: string): boolean => /^(?:0?\.\d+|[01])$/.test(text);

/** Conditions of a search by their names in its address, and what people call them. */
const CONDITIONS = {
  wing: 'wing',
  room: 'room',
  type: 'type',
  since: 'from',
  until: 'until',
  priority: 'priority',
  file: 'file',
  source: 'path',
  session: 'session',
  directory: 'folder',
} as const;
/** How hits are looked for and ordered. */
const WAYS = { rank: 'order', by: 'one hit per', min_score: 'score from', cold: 'cold rooms too' } as const;
const ALL = { ...CONDITIONS, ...WAYS };
type Name = keyof typeof ALL;
const NAMES = Object.keys(ALL) as Name[];

/** The conditions of a search, by their names in its address. */
export const filtersOf = (place: Place): Record<string, string> => named(place, Object.keys(CONDITIONS));

/** What a search asks for beside its question. */
export const askedOf = (place: Place): Record<string, string> => named(place, NAMES);

const named = (place: Place, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (place[name] === undefined ? [] : [[name, place[name]]])));

/** The filters of a search that are in use, as chips, and a menu that adds others. */
export function Filters({ place, children }: { place: Place; children: ComponentChildren }) {
  // Those that have no value yet.
  const [added, add] = useState<readonly Name[]>([]);
  const row = useRef<HTMLDivElement>(null);
  const focus = (selector: string): void => row.current?.querySelector<HTMLElement>(selector)?.focus();
  const without = (name: Name) => added.filter((each) => each !== name);
  const set = (name: Name, value: string): void => {
    add(without(name));
    const { offset: _, at: __, ...rest } = place;
    goTo({ ...rest, view: 'search', [name]: value });
  };
  const remove = (name: Name): void => {
    if (place[name] === undefined) add(without(name));
    else set(name, '');
    focus('summary');
  };
  const choose = (name: Name): void => {
    if (name === 'cold') set(name, 'true');
    else add([...added, name]);
    chosen.current = name;
  };
  const chosen = useRef<Name | undefined>(undefined);
  useEffect(() => {
    if (chosen.current !== undefined) focus(`[data-filter=${chosen.current}] :is(input, select)`);
    chosen.current = undefined;
  }, [added]);
  const isShown = (name: Name): boolean => place[name] !== undefined || added.includes(name);
  return (
    <div class="chips filters" ref={row}>
      {NAMES.filter(isShown).map((name) => (
        <span key={name} class="removable" data-filter={name}>
          <Filter name={name} value={place[name] ?? ''} onChoice={(value) => set(name, value)} />
          <button type="button" aria-label={`Remove ${ALL[name]}`} onClick={() => remove(name)}>
            ×
          </button>
        </span>
      ))}
      <Adding names={NAMES.filter((name) => !isShown(name))} onChoice={choose} />
      {children}
    </div>
  );
}

function Adding({ names, onChoice }: { names: readonly Name[]; onChoice: (name: Name) => void }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (): void => void menu.current?.removeAttribute('open');
  const leave = (): void => {
    close();
    menu.current?.querySelector('summary')?.focus();
  };
  return (
    <details
      ref={menu}
      class="adding"
      onKeyDown={(event) => event.key === 'Escape' && leave()}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !menu.current?.contains(relatedTarget)) close();
      }}
    >
      <summary class="chip">+ filter</summary>
      <div class="popup">
        {names.map((name) => (
          <button
            key={name}
            type="button"
            onClick={() => {
              leave();
              onChoice(name);
            }}
          >
            {ALL[name]}
          </button>
        ))}
      </div>
    </details>
  );
}

interface FilterProps {
  name: Name;
  value: string;
  onChoice: (value: string) => void;
}

function Filter({ name, value, onChoice }: FilterProps) {
  const filter = { name: ALL[name], value, onChoice };
  switch (name) {
    case 'wing':
      return <Wing {...filter} />;
    case 'type':
      return <Type {...filter} />;
    case 'priority':
      return <Choice {...filter} all={['high', 'medium', 'low']} />;
    case 'since':
      return <Words {...filter} all={['1d', '1w', '1mo', '1y']} />;
    case 'until':
      return <Day {...filter} />;
    case 'rank':
      return <Choice {...filter} all={RANKINGS} empty="usual" />;
    case 'by':
      return <Choice {...filter} all={GROUPINGS} empty="usual" />;
    case 'min_score':
      return <Words {...filter} onChoice={(share) => onChoice(isShare(share) ? share : '')} />;
    case 'cold':
      return (
        <span class="chip chosen">
          <span>{filter.name}</span>
        </span>
      );
    default:
      return <Words {...filter} />;
  }
}
