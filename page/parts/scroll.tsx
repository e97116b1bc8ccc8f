import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** What is wider or longer than its place. It takes the focus, so that keys can scroll it. */
export function Scroll({
  name,
  way,
  fromEnd = false,
  children,
}: {
  name: string;
  way: 'across' | 'down';
  /** Its end is shown first. */
  fromEnd?: boolean;
  children: ComponentChildren;
}) {
  const section = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (fromEnd && section.current) section.current.scrollLeft = section.current.scrollWidth;
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: otherwise, a browser may not let keys scroll it
    <section ref={section} class={`scroll ${way}`} tabIndex={0} aria-label={name}>
      {children}
    </section>
  );
}
