import type { ComponentChildren } from 'preact';
import type { Answer } from '../api.js';
import type { Block } from '../blocks.js';
import { minute } from '../words.js';
import { Link } from './link.js';

const NAMES: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Assistant',
  call: 'Tool call',
  result: 'Tool result',
  note: 'Note',
};
/** Shown folded: they are long, and seldom what is looked for. */
const FOLDED = ['call', 'result'];

export const canFold = (role: string): boolean => FOLDED.includes(role);

interface Props {
  role: string;
  block: Block;
  /** Shows the lines of a folded turn, or hides them. */
  onFold: () => void;
  children: ComponentChildren;
}

/** A turn of a transcript, or a part of a long one. */
export function Turn({ role, block: { turn, isHead, isFolded, last }, onFold, children }: Props) {
  const name = NAMES[role] ?? role;
  const looks = [
    'turn',
    role,
    ...(isHead ? ['head'] : []),
    ...(isFolded || last === turn[1] ? ['tail'] : []),
  ];
  return (
    <div class={looks.join(' ')}>
      {isHead &&
        (canFold(role) ? (
          <button type="button" class="fold" aria-expanded={!isFolded} onClick={onFold}>
            {name}{' '}
            <span class="quiet">
              lines {turn[0]}–{turn[1]}
            </span>
          </button>
        ) : (
          <p class="role">{name}</p>
        ))}
      {!isFolded && children}
    </div>
  );
}

/** Where a checkpoint of the session was made: between what precedes it and what follows. */
export function CheckpointMark({
  checkpoint: { checkpoint_id, title, timestamp },
}: {
  checkpoint: Answer<'checkpointList'>['checkpoints'][number];
}) {
  return (
    <p class="checkpoint">
      <Link to={{ view: 'checkpoints', name: checkpoint_id }} dir="auto">
        {title}
      </Link>{' '}
      <span class="quiet">{minute(timestamp)}</span>
    </p>
  );
}
