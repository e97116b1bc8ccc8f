import { Lines } from './text.js';

const NAMES: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Assistant',
  call: 'Tool call',
  result: 'Tool result',
  note: 'Note',
};
/** Shown folded: they are long, and seldom what is looked for. */
const FOLDED = ['call', 'result'];

interface Turn {
  role: string;
  text: string;
  first: number;
  last: number;
}

/** A transcript, turn by turn. */
export function Conversation({
  text,
  turns,
  target,
}: {
  text: string;
  turns: readonly (readonly [string, number])[];
  target: number | undefined;
}) {
  return (
    <div class="conversation">
      {turnsOf(text, turns).map(({ role, text, first, last }) => {
        const isTarget = target !== undefined && target >= first && target <= last;
        const lines = <Lines text={text} first={first} target={target} />;
        const name = NAMES[role] ?? role;
        return FOLDED.includes(role) ? (
          <details key={first} class={`turn ${role}`} open={isTarget}>
            <summary>
              {name}{' '}
              <span class="quiet">
                lines {first}–{last}
              </span>
            </summary>
            {lines}
          </details>
        ) : (
          <section key={first} class={`turn ${role}`} aria-label={`${name}, line ${first}`}>
            <p class="role">{name}</p>
            {lines}
          </section>
        );
      })}
    </div>
  );
}

/** @param turns roles with the offsets at which they begin to speak. */
function turnsOf(text: string, turns: readonly (readonly [string, number])[]): Turn[] {
  const starts = turns[0]?.[1] === 0 ? turns : ([['note', 0], ...turns] as const);
  let first = 1;
  return starts.flatMap(([role, start], index) => {
    const part = text.slice(start, starts[index + 1]?.[1]);
    const lines = part.split('\n').length - 1;
    const turn = {
      role,
      text: part,
      first,
      last: first + Math.max(0, part.endsWith('\n') ? lines - 1 : lines),
    };
    first += lines;
    return part.trim() === '' ? [] : [turn];
  });
}
