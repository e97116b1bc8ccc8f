import type { ComponentChildren } from 'preact';

/** What is wider or longer than its place. It takes the focus, so that keys can scroll it. */
export function Scroll({
  name,
  way,
  children,
}: {
  name: string;
  way: 'across' | 'down';
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: otherwise, a browser may not let keys scroll it
    <section class={`scroll ${way}`} tabIndex={0} aria-label={name}>
      {children}
    </section>
  );
}
