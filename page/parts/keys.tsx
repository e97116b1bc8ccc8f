import { useEffect, useRef } from 'preact/hooks';

const KEYS = [
  ['Ctrl K', 'go to a view, a source, a wing or a command (on a Mac: ⌘ K)'],
  ['/', 'to the field for searching'],
  ['↓ ↑', 'through the hits'],
  ['Enter', 'open the hit, at its line'],
  ['Esc', 'close what is open; from a hit to the field; from a source back to where you came from'],
  ['v', 'a text as it was written, and again as it is rendered'],
  ['Ctrl F', 'find in a long text; again: the search of the browser'],
  ['Enter', 'in “Find in it”: to the next line with the words; with Shift: to the one before'],
  ['?', 'these keys'],
] as const;

export function Keys({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys" onClose={onClose}>
      <h2 id="keys">Keys</h2>
      <dl>
        {KEYS.map(([key, what]) => (
          <div key={what}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
