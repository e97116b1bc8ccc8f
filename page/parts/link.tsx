import type { ComponentChildren } from 'preact';
import { goTo, hrefOf, type Place } from '../place.js';

interface Props {
  to: Place;
  children: ComponentChildren;
  dir?: 'auto';
  title?: string;
  'aria-current'?: 'page' | undefined;
}

/** A link within the page. With a modifier key the browser opens it as any other. */
export function Link({ to, children, ...rest }: Props) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(to);
    scrollTo(0, 0);
  };
  return (
    <a {...rest} href={hrefOf(to)} onClick={follow}>
      {children}
    </a>
  );
}

/** To a whole source, at a line. */
export const toSource = (name: string, line?: number): Place => ({
  view: 'source',
  name,
  ...(line !== undefined && { line: String(line) }),
});
