/** Whether texts are rendered or shown as they are written; the browser remembers it. */
import { useHeard } from './heard.js';

const KEY = 'mempalace-verbatim';
const CHANGED = 'reading';

const isVerbatim = (): boolean => localStorage.getItem(KEY) !== null;

export function toggleVerbatim(): void {
  if (isVerbatim()) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, '');
  dispatchEvent(new Event(CHANGED));
}

export const useVerbatim = (): boolean => useHeard(isVerbatim, CHANGED);
