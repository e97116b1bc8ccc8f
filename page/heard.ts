import { useLayoutEffect, useState } from 'preact/hooks';

/** What is read at first, and again at each of these events. */
export function useHeard<T>(read: () => T, ...events: string[]): T {
  const [value, set] = useState(read);
  useLayoutEffect(() => {
    const update = (): void => set(read);
    for (const event of events) addEventListener(event, update);
    return () => {
      for (const event of events) removeEventListener(event, update);
    };
  }, []);
  return value;
}
