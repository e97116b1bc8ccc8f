/** Whether texts are rendered or shown as they are written; the browser remembers it. */
import { useEffect, useState } from 'preact/hooks';

const KEY = 'mempalace-verbatim';
const CHANGED = 'reading';

const isVerbatim = (): boolean => localStorage.getItem(KEY) !== null;

export function toggleVerbatim(): void {
  if (isVerbatim()) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, '');
  dispatchEvent(new Event(CHANGED));
}

export function useVerbatim(): boolean {
  const [verbatim, setVerbatim] = useState(isVerbatim);
  useEffect(() => {
    const update = (): void => setVerbatim(isVerbatim());
    addEventListener(CHANGED, update);
    return () => removeEventListener(CHANGED, update);
  }, []);
  return verbatim;
}
