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

/** The first block of each turn by another speaker than before; what tools do belongs to who called them. */
export function namedIn(blocks: readonly Block[]): ReadonlySet<Block> {
  const named = new Set<Block>();
  let speaker: string | undefined;
  for (const block of blocks) {
    const { role = '', isHead } = block;
    if (!isHead || canFold(role)) continue;
    if (role !== speaker) named.add(block);
    speaker = role;
  }
  return named;
}

interface Props {
  role: string;
  block: Block;
  /** Who speaks is said. */
  isNamed: boolean;
  /** The text of a call of a tool. */
  call: string;
  /** Sessions that the call began. */
  begun: ComponentChildren;
  /** Shows the lines of a folded turn, or hides them. */
  onFold: () => void;
  children: ComponentChildren;
}

/** A turn of a transcript, or a part of a long one. */
export function Turn({ role, block, isNamed, call, begun, onFold, children }: Props) {
  const { turn, isHead, isFolded, last } = block;
  const looks = [
    'turn',
    role,
    ...(isHead ? ['head'] : []),
    ...(isFolded || last === turn[1] ? ['tail'] : []),
    ...(canFold(role) && isFolded ? ['folded'] : []),
  ];
  return (
    <div class={looks.join(' ')}>
      {isHead && canFold(role) && (
        <button type="button" class="fold" aria-expanded={!isFolded} onClick={onFold}>
          <ToolLabel role={role} call={call} />{' '}
          <span class="quiet">
            lines {turn[0]}–{turn[1]}
          </span>
        </button>
      )}
      {begun}
      {isHead && isNamed && !canFold(role) && <p class="role">{NAMES[role] ?? role}</p>}
      {!isFolded && children}
    </div>
  );
}

/** `edit src/cart.js` */
function ToolLabel({ role, call }: { role: string; call: string }) {
  const [, tool, argument = ''] =
    /^\[tool ([^\]\n]+)\][ ]?([^\n]{0,200})/.exec(role === 'call' ? call : '') ?? [];
  if (tool === undefined) return <>{NAMES[role]}</>;
  return (
    <>
      <strong>{tool}</strong> <bdi class="argument">{argument}</bdi>
    </>
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
