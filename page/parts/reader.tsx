import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Answer } from '../api.js';
import { type Block, blockAt, blocksOf, headFrom, lastLineOf, type Turns } from '../blocks.js';
import { finderOf, linesWith } from '../find.js';
import { number } from '../words.js';
import { CheckpointMark, canFold, Turn } from './conversation.js';
import { Numbered } from './text.js';
import { Virtual, WHOLE } from './virtual.js';

/** Heights of what is not shown yet, pixels. */
const ROW_PX = 22;
const HEAD_PX = 60;

interface Props {
  text: string;
  turns: Turns | null;
  /** Those whose place in the text is known. */
  checkpoints: readonly (Answer<'checkpointList'>['checkpoints'][number] & { line: number })[];
  /** The line that is looked for. */
  line: number | undefined;
  /** Words that are looked for. */
  find: string;
  onPlace: (place: { line?: number; find: string }) => void;
}

/** A text of any length, at a line. */
export function Reader({ text, turns, checkpoints, line, find, onPlace }: Props) {
  // Turns that the user opened or closed, by their first lines.
  const [turned, setTurned] = useState<ReadonlyMap<number, boolean>>(new Map());
  const finder = useMemo(() => finderOf(find), [find]);
  const lines = useMemo(() => (finder === undefined ? [] : linesWith(finder, text)), [finder, text]);
  const last = useMemo(() => lastLineOf(text), [text]);
  // A checkpoint at the end is after the last line.
  const sought = line === undefined ? undefined : Math.min(line, last);
  const blocks = useMemo(
    () =>
      blocksOf(text, turns, (role, first, last) => {
        const isTarget = sought !== undefined && sought >= first && sought <= last;
        return canFold(role) && !(turned.get(first) ?? isTarget);
      }),
    [text, turns, turned, sought],
  );
  const index = sought === undefined ? -1 : blockAt(blocks, sought);
  const target = useMemo(() => (index === -1 ? undefined : { index, id: `L${sought}` }), [index, sought]);
  const heads = checkpoints.map((each) => headFrom(blocks, each.line));
  // Oldest first, as the text.
  const marksAt = (index: number) =>
    checkpoints
      .filter((_, at) => heads[at] === index)
      .reverse()
      .map((each) => <CheckpointMark key={each.checkpoint_id} checkpoint={each} />);
  const fold = ({ turn: [first], isFolded }: Block): void =>
    setTurned(new Map([...turned, [first, isFolded]]));
  return (
    <>
      <Finder find={find} line={line} lines={lines} isWhole={blocks.length <= WHOLE} onPlace={onPlace} />
      <Virtual
        role="feed"
        name={turns === null ? 'Text' : 'Conversation'}
        class={turns === null ? 'lines' : 'conversation'}
        count={blocks.length}
        keyOf={(index) => blocks[index]?.start ?? index}
        heightOf={(index) => heightOf(blocks[index])}
        target={target}
      >
        {(index) => {
          const { [index]: block } = blocks;
          if (block === undefined) return null;
          const { start, end, first, goesOn, role } = block;
          const shown = (
            <Numbered
              lines={text.slice(start, end).replace(/\n$/, '').split('\n')}
              first={first}
              goesOn={goesOn}
              target={sought}
              matcher={finder}
            />
          );
          return role === undefined ? (
            shown
          ) : (
            <>
              {marksAt(index)}
              <Turn role={role} block={block} onFold={() => fold(block)}>
                <div class="lines">{shown}</div>
              </Turn>
              {index === blocks.length - 1 && marksAt(blocks.length)}
            </>
          );
        }}
      </Virtual>
    </>
  );
}

const heightOf = (block: Block | undefined): number =>
  block === undefined ? 0 : (block.isFolded ? 0 : block.rows * ROW_PX) + (block.isHead ? HEAD_PX : 0);

interface FinderProps extends Pick<Props, 'find' | 'line' | 'onPlace'> {
  /** Those that contain the words. */
  lines: readonly number[];
  /** The browser's own search sees everything. */
  isWhole: boolean;
}

/** Goes to a line, and from one line with some words to the next. */
function Finder({ find, line, lines, isWhole, onPlace }: FinderProps) {
  const [typed, setTyped] = useState(find);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(find), [find]);
  useEffect(() => {
    if (isWhole) return;
    const onKey = (event: KeyboardEvent): void => {
      const isFind =
        event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      // Pressed again, it is the browser's.
      if (!isFind || document.activeElement === field.current) return;
      event.preventDefault();
      field.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isWhole]);
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
    <form
      class="chips finder"
      onSubmit={(event) => {
        event.preventDefault();
        seek();
      }}
    >
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
    </form>
  );
}

function foundText(at: number, count: number): string {
  if (count === 0) return 'not found';
  return at === -1 ? `${number(count)} lines` : `${number(at + 1)} of ${number(count)} lines`;
}
