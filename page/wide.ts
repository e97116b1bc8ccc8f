/** Whether there is place beside a text. */
import { useEffect, useState } from 'preact/hooks';

/** `reading.css` has the same. */
const WIDE = '(min-width: 1100px)';

export function useWide(): boolean {
  const [isWide, setWide] = useState(() => matchMedia(WIDE).matches);
  useEffect(() => {
    const media = matchMedia(WIDE);
    const update = (): void => setWide(media.matches);
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, []);
  return isWide;
}
