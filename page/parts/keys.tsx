import { useEffect, useRef } from 'preact/hooks';

const KEYS = [
  ['Ctrl K', 'go to a view, a source, a wing or a command (on a Mac: ⌘ K)'],
  ['/', 'to the field for searching'],
  ['↓ ↑', 'through the hits'],
  ['Enter', 'open the hit, at its line'],
  ['Esc', 'back to the field; close what is open'],
  ['Ctrl F', 'find in a long text; again: the search of the browser'],
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
          <div key={key}>
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
