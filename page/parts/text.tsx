import type { Matcher } from '../../src/search/matches.js';

/** Lines that the browser lays out together, when they come into view. */
const BLOCK = 100;
const REDACTED = /\[(?:PRIVATE|REDACTED:[a-z0-9-]+)\]/g;

interface Piece {
  text: string;
  mark: 'found' | 'redacted' | undefined;
}

/** Text of the palace, never read as HTML. What was found and what was redacted is marked. */
export function Marked({ text, matcher }: { text: string; matcher?: Matcher | undefined }) {
  return (
    <>
      {piecesOf(text, matcher).map(({ text, mark }, index) =>
        mark === 'found' ? (
          <mark key={index}>{text}</mark>
        ) : mark === 'redacted' ? (
          <span key={index} class="redacted" title="A secret that was removed before filing">
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </>
  );
}

function piecesOf(text: string, matcher: Matcher | undefined): Piece[] {
  const found = (matcher?.(text) ?? []).map(({ start, end }) => ({ start, end, mark: 'found' as const }));
  const redacted = [...text.matchAll(REDACTED)].map(({ index, 0: marker }) => ({
    start: index,
    end: index + marker.length,
    mark: 'redacted' as const,
  }));
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end, mark } of [...redacted, ...found].sort((one, other) => one.start - other.start)) {
    if (start < at) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), mark: undefined });
    pieces.push({ text: text.slice(start, end), mark });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), mark: undefined });
  return pieces;
}

interface LinesProps {
  text: string;
  /** Number of the first line in its source. */
  first: number;
  /** The line that is looked for. */
  target?: number | undefined;
  matcher?: Matcher | undefined;
}

/** Text with the numbers of its lines. */
export function Lines({ text, first, target, matcher }: LinesProps) {
  const lines = text.replace(/\n$/, '').split('\n');
  const blocks = Array.from({ length: Math.ceil(lines.length / BLOCK) }, (_, index) => index * BLOCK);
  return (
    <div class="lines">
      {blocks.map((from) => (
        <div class="block" key={from}>
          <Numbered
            lines={lines.slice(from, from + BLOCK)}
            first={first + from}
            target={target}
            matcher={matcher}
          />
        </div>
      ))}
    </div>
  );
}

interface NumberedProps extends Omit<LinesProps, 'text'> {
  lines: readonly string[];
  /** The first line continues one that was begun elsewhere: its number is there. */
  goesOn?: boolean;
  /** Where the first line begins in the whole text, UTF-16 units. */
  start?: number;
}

export function Numbered({ lines, first, goesOn = false, start, target, matcher }: NumberedProps) {
  let at = start ?? 0;
  return (
    <>
      {lines.map((line, index) => {
        const begin = at;
        at += line.length + 1;
        const number = first + index;
        const isNumbered = index > 0 || !goesOn;
        return (
          <div
            key={number}
            id={isNumbered ? `L${number}` : undefined}
            class={number === target ? 'line target' : 'line'}
            data-line={isNumbered ? number : ''}
            data-start={start === undefined ? undefined : begin}
            data-end={start === undefined ? undefined : at}
            dir="auto"
          >
            {line === '' ? <br /> : <Marked text={line} matcher={matcher} />}
          </div>
        );
      })}
    </>
  );
}
