import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A form that is sent by the page. */
export const sending =
  (send: () => void) =>
  (event: Event): void => {
    event.preventDefault();
    send();
  };

interface Props {
  name: string;
  value: string;
  onValue: (value: string) => void;
  /** Further controls in the same row. */
  children?: ComponentChildren;
}

/** A text that counts once it is sent off. */
export function Field({ name, value, onValue, children }: Props) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <form class="chips" onSubmit={sending(() => onValue(typed.trim()))}>
      <input
        type="search"
        aria-label={name}
        placeholder={`${name}…`}
        dir="auto"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      {children}
      <button type="submit">Show</button>
    </form>
  );
}
