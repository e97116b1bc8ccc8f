import { useEffect, useState } from 'preact/hooks';
import { askAgain } from '../ask.js';
import { Trouble } from './state.js';

interface Told {
  text: string;
  undo: (() => Promise<unknown>) | undefined;
  error?: unknown;
}

/** What is told disappears after this time, milliseconds. */
const SHOWN_MS = 20_000;

let tell: (told: Told | undefined) => void = () => {};

/** Makes a change, says so, and offers to undo it. @param change returns what to say, and the inverse */
export async function making(change: () => Promise<Pick<Told, 'text' | 'undo'>>): Promise<void> {
  try {
    tell(await change());
  } catch (error) {
    tell({ text: '', undo: undefined, error });
  }
  askAgain();
}

/** What was changed last, at the edge of the page. */
export function Toast() {
  const [told, setTold] = useState<Told>();
  tell = setTold;
  useEffect(() => {
    if (told === undefined) return;
    const timer = setTimeout(() => setTold(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [told]);
  return (
    <div class="toast" role="status">
      {told !== undefined && (
        <div>
          {told.error === undefined ? <p dir="auto">{told.text}</p> : <Trouble error={told.error} />}
          {told.undo !== undefined && (
            <button type="button" onClick={() => void making(undoing(told))}>
              Undo
            </button>
          )}
          <button type="button" onClick={() => setTold(undefined)}>
            Close
          </button>
        </div>
      )}
    </div>
  );
}

const undoing =
  ({ text, undo }: Told) =>
  async () => {
    await undo?.();
    return { text: `Undone: ${text}`, undo: undefined };
  };
