import { useId } from 'preact/hooks';
import { SOURCE_TYPES } from '../../src/core/source-type.js';
import { useAnswer } from '../ask.js';

interface Filter {
  name: string;
  /** Empty: any. */
  value: string;
  onChoice: (value: string) => void;
}

const chip = (value: string): string => (value === '' ? 'chip' : 'chip chosen');

interface Known extends Filter {
  all: readonly string[];
  /** What the empty value is called. */
  empty?: string;
}

/** A filter with known values. */
export function Choice({ name, value, all, empty = 'any', onChoice }: Known) {
  const isKnown = value === '' || all.includes(value);
  return (
    <label class={chip(value)}>
      <span>{name}</span>
      <select value={value} onChange={(event) => onChoice(event.currentTarget.value)}>
        <option value="">{empty}</option>
        {(isKnown ? all : [value, ...all]).map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A filter by a wing of the palace. */
export function Wing({ name = 'wing', ...filter }: Omit<Known, 'name' | 'all'> & { name?: string }) {
  const { answer } = useAnswer<'listWings'>('/list/wings');
  return <Choice name={name} all={answer?.wings.map(({ wing }) => wing) ?? []} {...filter} />;
}

/** A filter that takes any text, some of which may be known. It counts when the field is left, or with Enter. */
export function Words({ name, value, all, onChoice }: Filter & { all?: readonly string[] }) {
  const list = useId();
  return (
    <label class={chip(value)}>
      <span>{name}</span>
      <input
        value={value}
        size={12}
        dir="auto"
        placeholder="any"
        list={all && list}
        onChange={(event) => onChoice(event.currentTarget.value.trim())}
      />
      {all && (
        <datalist id={list}>
          {all.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </label>
  );
}

/** A filter that takes a day. */
export function Day({ name, value, onChoice }: Filter) {
  return (
    <label class={chip(value)}>
      <span>{name}</span>
      <input type="date" value={value} onChange={(event) => onChoice(event.currentTarget.value)} />
    </label>
  );
}

/** A filter that is on or off. */
export function Flag({ name, on, onChoice }: { name: string; on: boolean; onChoice: (on: boolean) => void }) {
  return (
    <label class={on ? 'chip chosen' : 'chip'}>
      <input type="checkbox" checked={on} onChange={(event) => onChoice(event.currentTarget.checked)} />
      <span>{name}</span>
    </label>
  );
}

/** A type of sources: one of ours, or one that documents declare. */
export function Type({ name = 'type', ...filter }: Omit<Filter, 'name'> & { name?: string }) {
  return <Words name={name} all={SOURCE_TYPES} {...filter} />;
}
