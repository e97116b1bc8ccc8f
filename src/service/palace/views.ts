import type { TurnMark } from '../../core/turns.js';
import type { DrawerView, FiledSource, Palace } from '../../store/index.js';
import type { Drawer, Source } from '../contract/index.js';

/** Rows as the contract shows them: without row ids, and with the turns in each drawer. */
export class Views {
  readonly #turns = new Map<number, TurnMark[] | null>();

  constructor(private readonly palace: Palace) {}

  drawer(view: DrawerView): Drawer {
    const { drawerId, sourceKey, sourceFile, origin, kind, textKind, wing, room, sessionId, directory } =
      view;
    const { title, place, text, context, chunkIndex, lineStart, lineEnd, charStart, charEnd } = view;
    const { contentDate, day, role, priority, pinned } = view;
    return {
      ...{ drawerId, sourceKey, sourceFile, origin, kind, textKind, wing, room, sessionId, directory },
      ...{ title, place, text, context, chunkIndex, lineStart, lineEnd, charStart, charEnd },
      ...{ contentDate, day, role, priority, pinned: pinned === 1 },
      turns: kind === 'conversation' ? within(this.turns(view.sourceId), charStart, text.length) : null,
    };
  }

  source(filed: Omit<FiledSource, 'priority' | 'priorityFrom'>): Source {
    const { sourceKey, sourceFile, origin, kind, textKind, wing, room, sessionId, directory } = filed;
    const { title, mtimeMs, hash, chars, drawers } = filed;
    return {
      ...{ sourceKey, sourceFile, origin, kind, textKind, wing, room, sessionId, directory },
      ...{ title, mtimeMs, hash, chars, drawers },
    };
  }

  /** Of a conversation; null where they were not recorded. */
  turns(sourceId: number): TurnMark[] | null {
    const known = this.#turns.get(sourceId);
    if (known !== undefined) return known;
    const turns = this.palace.sources.turnsOf(sourceId) ?? null;
    this.#turns.set(sourceId, turns);
    return turns;
  }
}

/** The marks in a stretch, and the one before it, whose speaker continues. */
function within(turns: TurnMark[] | null, from: number, length: number): TurnMark[] | null {
  if (turns === null) return null;
  const first = turns.findIndex(({ start }) => start >= from);
  const inside = turns.filter(({ start }) => start >= from && start < from + length);
  const running = first === -1 ? turns.at(-1) : turns[first - 1];
  return running === undefined ? inside : [running, ...inside];
}
