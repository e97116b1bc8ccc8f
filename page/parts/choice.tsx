interface Props {
  name: string;
  /** Empty: any. */
  value: string;
  all: readonly string[];
  onChoice: (value: string) => void;
}

/** A filter. */
export function Choice({ name, value, all, onChoice }: Props) {
  const isKnown = value === '' || all.includes(value);
  return (
    <label class={value === '' ? 'chip' : 'chip chosen'}>
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
