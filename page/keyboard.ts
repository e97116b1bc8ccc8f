import { useEffect, useRef } from 'preact/hooks';

/** Calls for each key that is pressed in the page. */
export function useKey(onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => latest.current(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

/** Whether a key is for the page: nobody types, no dialog is open, and nothing else took the key. */
export function isForPage({
  target,
  isComposing,
  defaultPrevented,
  ctrlKey,
  metaKey,
}: KeyboardEvent): boolean {
  const isTyping = isComposing || (target instanceof Element && target.matches('input, select, textarea'));
  const isTaken = defaultPrevented || ctrlKey || metaKey || document.querySelector('dialog[open]') !== null;
  return !isTyping && !isTaken;
}

/** Whether it is a letter with Ctrl, or on a Mac with ⌘. */
export const isCommand = (event: KeyboardEvent, letter: string): boolean =>
  (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === letter;
