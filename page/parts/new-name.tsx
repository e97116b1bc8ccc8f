import { useState } from 'preact/hooks';
import { sending } from './field.js';

interface Props {
  label: string;
  placeholder: string;
  button: string;
  onName: (name: string) => void;
}

/** Asks for the name of something new. */
export function NewName({ label, placeholder, button, onName }: Props) {
  const [name, setName] = useState('');
  return (
    <form
      class="chips"
      onSubmit={sending(() => {
        onName(name.trim());
        setName('');
      })}
    >
      <input
        required
        aria-label={label}
        placeholder={placeholder}
        dir="auto"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" disabled={name.trim() === ''}>
        {button}
      </button>
    </form>
  );
}
