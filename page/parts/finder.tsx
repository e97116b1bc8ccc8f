import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isCommand, useKey } from '../keyboard.js';
import { number } from '../words.js';
import { sending } from './field.js';

interface Props {
  /** Words that are looked for. */
  find: string;
  /** The line that is looked for. */
  line: number | undefined;
  onPlace: (place: { line?: number; find: string }) => void;
  /** Lines that contain the words. */
  lines: readonly number[];
  /** The browser's own search sees everything. */
  isWhole: boolean;
  /** Further controls. */
  children: ComponentChildren;
}

/** Goes to a line, and from one line with some words to the next. */
export function Finder({ find, line, lines, isWhole, onPlace, children }: Props) {
  const [typed, setTyped] = useState(find);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(find), [find]);
  useKey((event) => {
    // Pressed again, it is the browser's.
    if (isWhole || !isCommand(event, 'f') || document.activeElement === field.current) return;
    event.preventDefault();
    field.current?.select();
  });
  const at = line === undefined ? -1 : lines.indexOf(line);
  const go = (way: 1 | -1): void => {
    const after =
      way === 1 ? lines.find((each) => each > (line ?? 0)) : lines.findLast((each) => each < (line ?? 0));
    const to = after ?? (way === 1 ? lines[0] : lines.at(-1));
    if (to !== undefined) onPlace({ line: to, find });
  };
  const seek = (): void => {
    if (typed !== find) onPlace({ find: typed, ...(line !== undefined && { line }) });
    else go(1);
  };
  // What is found first after a question comes into view by itself.
  useEffect(() => {
    if (find !== '' && at === -1) go(1);
  }, [find]);
  return (
    <form class="chips finder" onSubmit={sending(seek)}>
      <input
        type="search"
        aria-label="Find in it"
        placeholder="Find in it…"
        dir="auto"
        value={typed}
        ref={field}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !event.shiftKey) return;
          event.preventDefault();
          go(-1);
        }}
      />
      <button type="button" disabled={lines.length === 0} onClick={() => go(-1)}>
        Previous
      </button>
      <button type="submit">Next</button>
      <label class="chip">
        <span>line</span>
        <input
          type="number"
          min={1}
          value={line ?? ''}
          onChange={(event) => {
            const { value } = event.currentTarget;
            if (value !== '') onPlace({ line: Number(value), find });
          }}
        />
      </label>
      <span class="quiet" role="status">
        {find === '' ? '' : foundText(at, lines.length)}
      </span>
      {children}
    </form>
  );
}

function foundText(at: number, count: number): string {
  if (count === 0) return 'not found';
  return at === -1 ? `${number(count)} lines` : `${number(at + 1)} of ${number(count)} lines`;
}
