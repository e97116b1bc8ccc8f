import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** What may be wider or longer than its place. Where it is, it takes the focus, so that keys can scroll it. */
export function Scroll({
  name,
  way,
  fromEnd = false,
  children,
}: {
  /** Absent: it is a table of a text, and named only where it is larger. */
  name?: string;
  /** `pane`: it is as high as its place, and texts in it are brought into view there. */
  way: 'across' | 'down' | 'pane';
  /** Its end is shown first. */
  fromEnd?: boolean;
  children: ComponentChildren;
}) {
  const section = useRef<HTMLElement>(null);
  const [isLarger, setLarger] = useState(false);
  useLayoutEffect(() => {
    const own = section.current;
    if (own === null) return;
    const measure = (): void =>
      setLarger(own.scrollWidth > own.clientWidth || own.scrollHeight > own.clientHeight);
    const watching = new ResizeObserver(measure);
    for (const each of [own, ...own.children]) watching.observe(each);
    measure();
    return () => watching.disconnect();
  });
  useLayoutEffect(() => {
    if (fromEnd && section.current) section.current.scrollLeft = section.current.scrollWidth;
  }, []);
  return (
    <section
      ref={section}
      class={`scroll ${way}`}
      tabIndex={isLarger || way === 'pane' ? 0 : undefined}
      aria-label={name ?? (isLarger ? 'Table' : undefined)}
    >
      {children}
    </section>
  );
}
