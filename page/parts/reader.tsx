import type { ComponentChildren, TargetedEvent } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { SESSION_HEADER } from '../../src/core/session-header.js';
import { headAt, type TurnRole } from '../../src/core/turns.js';
import type { Matcher } from '../../src/search/matches.js';
import type { Answer } from '../api.js';
import { type Block, blockAt, blocksOf, type Cut, cut, headFrom, lastLineOf, type Turns } from '../blocks.js';
import { selectedOf } from '../copying.js';
import { finderOf, linesWith } from '../find.js';
import { isForPage, useKey } from '../keyboard.js';
import { cutDocument, cutMarkdown, headingsOf, LONGEST, titleIn } from '../markdown.js';
import type { Place } from '../place.js';
import { toggleVerbatim, useVerbatim } from '../reading.js';
import { namedFrom } from '../words.js';
import { CheckpointMark, canFold, namedIn, Turn } from './conversation.js';
import { Finder } from './finder.js';
import { Markdown } from './markdown.js';
import { Outline } from './outline.js';
import { Numbered } from './text.js';
import { Virtual, WHOLE } from './virtual.js';

/** Heights of what is not shown yet, pixels. */
const ROW_PX = 22;
const HEAD_PX = 60;
/** Blocks before and after the line in a preview. */
const NEAR = 5;
/** Blocks of Markdown are smaller than those of lines. */
const WHOLE_RENDERED = 3 * WHOLE;

interface Props {
  text: string;
  turns: Turns | null;
  /** It is a document in Markdown. */
  isMarkdown: boolean;
  /** What is said above the text already. */
  title: string;
  /** Where tools worked: what is below is named from there. */
  folder?: string | null;
  /** Those whose place in the text is known. */
  checkpoints: readonly (Answer<'checkpointList'>['checkpoints'][number] & { line: number })[];
  /** The line that is looked for. */
  line: number | undefined;
  /** Whatever is another one when the line is looked for again. */
  visit?: unknown;
  /** Words that are looked for. */
  find: string;
  /** Marks the words of a question, as long as nothing is looked for. */
  matcher?: Matcher | undefined;
  /** Where a link to another document of the palace leads. */
  placeOf?: (href: string) => Place | undefined;
  /** Sessions that a call of a tool began. */
  begunBy?: (call: string) => ComponentChildren;
  /** Absent: only what is near the line is shown, and nothing can be looked for. */
  onPlace?: (place: { line?: number; find: string }) => void;
  /** What is beside the text, below its outline. */
  beside?: ComponentChildren;
}

const NOWHERE = (): undefined => undefined;

/** A text of any length, at a line. */
export function Reader(props: Props) {
  const { text, turns, isMarkdown, title, folder, checkpoints, line, visit, find, matcher } = props;
  const { placeOf = NOWHERE, begunBy = NOWHERE, onPlace, beside } = props;
  // Turns that the user opened or closed, by their first lines.
  const [turned, setTurned] = useState<ReadonlyMap<number, boolean>>(new Map());
  const isVerbatim = useVerbatim();
  const canRender = isMarkdown || turns !== null;
  const isLong = useMemo(() => canRender && spokenIn(text, turns) > LONGEST, [text, turns, canRender]);
  const isRendered = canRender && !isLong && !isVerbatim;
  const canChoose = canRender && !isLong && onPlace !== undefined;
  useKey((event) => {
    if (event.key === 'v' && !event.altKey && canChoose && isForPage(event)) toggleVerbatim();
  });
  const finder = useMemo(() => finderOf(find), [find]);
  const lines = useMemo(() => (finder === undefined ? [] : linesWith(finder, text)), [finder, text]);
  const last = useMemo(() => lastLineOf(text), [text]);
  // A checkpoint at the end is after the last line.
  const sought = line === undefined ? undefined : Math.min(line, last);
  const cutOf = useMemo(() => (isRendered ? cutterOf() : () => cut), [text, isRendered]);
  const whole = useMemo(() => {
    if (turns === null && isRendered) return cutDocument(text);
    const blocks = blocksOf(
      text,
      turns,
      (role, first, last) => {
        const isTarget = sought !== undefined && sought >= first && sought <= last;
        return canFold(role) && !(turned.get(first) ?? isTarget);
      },
      cutOf,
    );
    return isRendered ? blocks.filter((block) => !isHeader(text, block)) : blocks;
  }, [text, turns, turned, turns === null ? undefined : sought, cutOf]);
  const repeated = useMemo(() => titleIn(whole, title), [whole, title]);
  const isSought = repeated !== undefined && blockAt([repeated], sought ?? 0) === 0;
  const all = useMemo(
    () => (repeated === undefined || isSought ? whole : whole.filter((block) => block !== repeated)),
    [whole, repeated, isSought],
  );
  const near = onPlace === undefined ? Math.max(0, blockAt(all, sought ?? 1) - NEAR) : 0;
  const blocks = onPlace === undefined ? all.slice(near, near + 2 * NEAR + 1) : all;
  const index = sought === undefined ? -1 : blockAt(blocks, sought);
  const target = useMemo(
    () => (index === -1 ? undefined : { index, id: `L${sought}` }),
    [index, sought, isRendered, visit],
  );
  const named = useMemo(() => namedIn(blocks), [all, near]);
  const headings = useMemo(() => (onPlace && turns === null ? headingsOf(all) : []), [all]);
  const heads = checkpoints.map((each) => headFrom(blocks, each.line));
  // Oldest first, as the text.
  const marksAt = (index: number) =>
    checkpoints
      .filter((_, at) => heads[at] === index)
      .reverse()
      .map((each) => <CheckpointMark key={each.checkpoint_id} checkpoint={each} />);
  const fold = ({ turn: [first], isFolded }: Block): void =>
    setTurned(new Map([...turned, [first, isFolded]]));
  const copy = (event: TargetedEvent<HTMLElement, ClipboardEvent>): void => {
    const selected = selectedOf(text, event.currentTarget, getSelection());
    if (selected === undefined) return;
    event.clipboardData?.setData('text/plain', selected);
    event.preventDefault();
  };
  const atOnce = isRendered ? WHOLE_RENDERED : WHOLE;
  const wordsOf = (block: Block) => {
    const { start, end, first, goesOn, rendered } = block;
    const shown = { target: sought, matcher: finder ?? matcher };
    if (rendered !== undefined)
      return <Markdown block={block} rendered={rendered} placeOf={placeOf} {...shown} />;
    const within = text.slice(start, end).replace(/\n$/, '').split('\n');
    return (
      <div class="lines">
        <Numbered lines={within} first={first} goesOn={goesOn} start={start} {...shown} />
      </div>
    );
  };
  const shown = (
    <div class="read" onCopy={copy}>
      <Virtual
        role="feed"
        name={turns === null ? 'Text' : 'Conversation'}
        class={turns === null ? 'document' : isRendered ? 'conversation' : 'conversation verbatim'}
        count={blocks.length}
        whole={atOnce}
        keyOf={(index) => blocks[index]?.start ?? index}
        heightOf={(index) => heightOf(blocks[index])}
        target={target}
      >
        {(index) => {
          const { [index]: block } = blocks;
          if (block === undefined) return null;
          const { role, start, end, isHead } = block;
          if (role === undefined) return wordsOf(block);
          const call = role === 'call' && isHead ? text.slice(start, end) : '';
          return (
            <>
              {marksAt(index)}
              <Turn
                role={role}
                block={block}
                isNamed={!isRendered || named.has(block)}
                call={isRendered ? namedFrom(folder, call) : ''}
                begun={begunBy(call)}
                onFold={() => fold(block)}
              >
                {wordsOf(block)}
              </Turn>
              {index === blocks.length - 1 && marksAt(blocks.length)}
            </>
          );
        }}
      </Virtual>
    </div>
  );
  if (onPlace === undefined) return shown;
  return (
    <div class="reading">
      <aside class="beside" aria-label="Beside the text">
        <Outline headings={headings} onLine={(line) => onPlace({ line, find })} />
        {beside}
      </aside>
      <div>
        <Finder find={find} line={line} lines={lines} isWhole={blocks.length <= atOnce} onPlace={onPlace}>
          {canChoose && (
            <button type="button" aria-pressed={isVerbatim} onClick={toggleVerbatim}>
              As written <kbd>v</kbd>
            </button>
          )}
        </Finder>
        {isLong && <p class="quiet">It is shown as it is written: it is too long to be rendered.</p>}
        {shown}
      </div>
    </div>
  );
}

/** Units of what is rendered: of a transcript, without what tools got and said. */
function spokenIn(text: string, turns: Turns | null): number {
  if (turns === null) return text.length;
  return turns.reduce(
    (sum, [role, start], index) =>
      canFold(role) ? sum : sum + (turns[index + 1]?.[1] ?? text.length) - start,
    0,
  );
}

/** Cuts each turn once, however often others are folded. The line of the transcriber above it is not part of the words. */
function cutterOf(): (role: string) => Cut {
  const known = new Map<number, Block[]>();
  return (role) => (text, start, end, first) => {
    if (canFold(role)) return cut(text, start, end, first);
    const head = headAt(text, { role: role as TurnRole, start }) ?? '';
    const blocks = known.get(start) ?? cutMarkdown(text, start, end, first, start + head.length);
    known.set(start, blocks);
    return blocks;
  };
}

/** The first line of a transcript, which the page says above it. */
const isHeader = (text: string, { role, start, end, first, last, turn }: Block): boolean =>
  role === 'note' &&
  first === turn[0] &&
  last === turn[1] &&
  SESSION_HEADER.test(text.slice(start, end).trim());

const heightOf = (block: Block | undefined): number =>
  block === undefined ? 0 : (block.isFolded ? 0 : block.rows * ROW_PX) + (block.isHead ? HEAD_PX : 0);
