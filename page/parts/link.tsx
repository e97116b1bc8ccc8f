import type { ComponentChildren } from 'preact';
import { goTo, hrefOf, type Place } from '../place.js';

interface Props {
  to: Place;
  children: ComponentChildren;
  dir?: 'auto';
  title?: string;
  'aria-current'?: 'page' | 'true' | undefined;
}

/** Goes to the top of a place. */
export function follow(to: Place): void {
  goTo(to);
  scrollTo(0, 0);
}

/** A link within the page. With a modifier key the browser opens it as any other. */
export function Link({ to, children, ...rest }: Props) {
  const onClick = (event: MouseEvent): void => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    follow(to);
  };
  return (
    <a {...rest} href={hrefOf(to)} onClick={onClick}>
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
