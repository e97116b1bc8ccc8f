interface Filter {
  name: string;
  /** Empty: any. */
  value: string;
  onChoice: (value: string) => void;
}

const chip = (value: string): string => (value === '' ? 'chip' : 'chip chosen');

/** A filter with known values. */
export function Choice({ name, value, all, onChoice }: Filter & { all: readonly string[] }) {
  const isKnown = value === '' || all.includes(value);
  return (
    <label class={chip(value)}>
      <span>{name}</span>
      <select value={value} onChange={(event) => onChoice(event.currentTarget.value)}>
        <option value="">any</option>
        {(isKnown ? all : [value, ...all]).map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A filter that takes any text. It counts when the field is left, or with Enter. */
export function Words({ name, value, onChoice }: Filter) {
  return (
    <label class={chip(value)}>
      <span>{name}</span>
      <input
        value={value}
        dir="auto"
        placeholder="any"
        onChange={(event) => onChoice(event.currentTarget.value.trim())}
      />
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
