import {
  defaultRangeExtractor,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

/** Lists of at most this many items are in the document as a whole: the browser finds and prints all of them. */
export const WHOLE = 100;
/** Items before and after those in view. */
const AROUND = 2;
/** Frames until what is looked for has found its place. */
const FRAMES = 30;

interface Target {
  index: number;
  id: string;
  /** Where in the view it is brought; `center` if absent. */
  block?: 'start';
}

interface Props {
  /** `feed`: items are parts of a text; `list`: items contain the rows of a list, which count themselves. */
  role: 'feed' | 'list';
  name: string;
  class?: string;
  count: number;
  /** Not more items than this are in the document as a whole. */
  whole?: number;
  keyOf: (index: number) => string | number;
  /** Height of an item that was not shown yet, pixels, about. */
  heightOf: (index: number) => number;
  /** What is brought into view: the item, and the id of an element in it. */
  target?: Target | undefined;
  /** The first item in view. */
  onFirst?: (index: number) => void;
  children: (index: number) => ComponentChildren;
}

/** Items of which only those near the view are in the document. They scroll with the page. */
export function Virtual(props: Props) {
  const { count, whole = WHOLE } = props;
  return count <= whole ? <All {...props} /> : <Near {...props} />;
}

function All({ role, name, class: looks, count, keyOf, target, children }: Props) {
  useCentred(target, count);
  return (
    <div {...listOf(role, name)} class={looks}>
      {Array.from({ length: count }, (_, index) => (
        <div key={keyOf(index)} {...itemOf(role, index, count)}>
          {children(index)}
        </div>
      ))}
    </div>
  );
}

function Near({ role, name, class: looks, count, keyOf, heightOf, target, onFirst, children }: Props) {
  const [, redraw] = useReducer<number, void>((times) => times + 1, 0);
  const list = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<number>();
  const [margin, setMargin] = useState(0);
  const kept = [target?.index, focused].filter((index) => index !== undefined && index >= 0 && index < count);
  const options = {
    count,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    initialOffset: () => scrollY,
    initialRect: { width: innerWidth, height: innerHeight },
    estimateSize: heightOf,
    getItemKey: keyOf,
    overscan: AROUND,
    scrollMargin: margin,
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) =>
      [...new Set([...defaultRangeExtractor(range), ...(kept as number[])])].sort(
        (one, other) => one - other,
      ),
    onChange: () => redraw(),
  };
  const [virtual] = useState(() => new Virtualizer<Window, HTMLElement>(options));
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => {
    virtual._willUpdate();
    // What is above the list may have grown.
    setMargin(Math.round((list.current?.getBoundingClientRect().top ?? 0) + scrollY));
  });
  useCentred(target, count);
  const firstSeen = virtual.range?.startIndex;
  useEffect(() => void (firstSeen !== undefined && onFirst?.(firstSeen)), [firstSeen]);
  const indexOf = ({ target }: Event): number | undefined => {
    const item = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
    return item === null ? undefined : Number(item.dataset.index);
  };
  return (
    <div
      ref={list}
      {...listOf(role, name)}
      class={`virtual ${looks ?? ''}`}
      style={{ height: `${virtual.getTotalSize()}px` }}
      onFocusIn={(event) => setFocused(indexOf(event))}
      onFocusOut={() => setFocused(undefined)}
    >
      {virtual.getVirtualItems().map(({ key, index, start }) => (
        <div
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          {...itemOf(role, index, count)}
          style={{ transform: `translateY(${start - margin}px)` }}
        >
          {children(index)}
        </div>
      ))}
    </div>
  );
}

const listOf = (role: Props['role'], name: string) => ({ role, 'aria-label': name });

/** Readers of the screen count all items, also those that are not in the document. */
const itemOf = (role: Props['role'], index: number, count: number) =>
  role === 'list' ? {} : { role: 'article' as const, 'aria-setsize': count, 'aria-posinset': index + 1 };

/** Heights are known once items are shown: the place is looked up again for some frames, or until the user scrolls. */
function useCentred(target: Props['target'], count: number): void {
  useEffect(() => {
    if (target === undefined) return;
    let [frames, frame] = [0, 0];
    const centre = (): void => {
      bring(document.getElementById(target.id), target.block ?? 'center');
      frames += 1;
      if (frames < FRAMES) frame = requestAnimationFrame(centre);
    };
    const stop = (): void => cancelAnimationFrame(frame);
    centre();
    const BY_USER = ['wheel', 'keydown', 'pointerdown', 'touchmove'];
    for (const name of BY_USER) addEventListener(name, stop, { once: true, passive: true });
    return () => {
      stop();
      for (const name of BY_USER) removeEventListener(name, stop);
    };
  }, [target, count > 0]);
}

/** In a pane, only what is in the pane moves. */
function bring(element: HTMLElement | null, block: 'start' | 'center'): void {
  const pane = element?.closest('.pane');
  if (!pane) element?.scrollIntoView({ block });
  if (!element || !pane) return;
  const [own, whole] = [element.getBoundingClientRect(), pane.getBoundingClientRect()];
  pane.scrollTop += own.top - whole.top - Math.max(0, (whole.height - own.height) / 2);
}
