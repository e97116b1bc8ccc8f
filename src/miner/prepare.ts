import { type DerivedActivity, TextActivity } from '../activity/index.js';
import { CheckpointRecorder } from '../checkpoint/index.js';
import type { TurnMark } from '../core/turns.js';
import { textKey } from '../embedding/index.js';
import { breather } from '../platform/breather.js';
import { addCounts, type Sanitiser } from '../sanitiser/index.js';
import type { DrawerDraft, TextPiece } from '../store/index.js';
import { PieceBuilder } from './pieces.js';
import type { PlannedSource } from './plan.js';
import type { Segment } from './segment.js';

export interface PreparedSource extends PlannedSource {
  drafts: DrawerDraft[];
  pieces: TextPiece[];
  messages: string[];
  turns: TurnMark[];
  activity: DerivedActivity | undefined;
  /** What the transcript says of the session's state; undefined if no checkpoint follows from it. */
  recorder: CheckpointRecorder | undefined;
  chars: number;
  /** Redactions made while reading (a transcript read in place), by kind. */
  redacted: Record<string, number>;
  problems: string[];
  /** Numbers of filed messages that are no longer in the source and are kept: all, and those that it has lost since. */
  gone?: { all: number; newly: number } | undefined;
}

export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * Reads a source, cuts it into drawers, and compresses its whole text. A document is in memory as a whole. For a conversation, only the chunks and the compressed text are, without the long tool output that is
 * stored but not chunked.
 *
 * @throws UserError `unreadable` when the file cannot be read
 * @throws Stopped when `stop` returned true between two segments
 */
export async function prepareSource(
  planned: PlannedSource,
  options: {
    sanitiser?: Sanitiser | undefined;
    signal?: AbortSignal | undefined;
    stop?: (() => boolean) | undefined;
    hasCheckpoints?: boolean | undefined;
  },
): Promise<PreparedSource> {
  const { source } = planned;
  const recorder = options.hasCheckpoints === true ? new CheckpointRecorder() : undefined;
  const prepared: PreparedSource = {
    ...planned,
    drafts: [],
    pieces: [],
    messages: [...(source.aliases ?? []), ...(source.copyKeys ?? [])],
    turns: [],
    activity: undefined,
    recorder,
    chars: 0,
    redacted: {},
    problems: [],
  };
  const pieces = new PieceBuilder();
  const breathe = breather();
  const sanitiser = source.sanitised === true ? undefined : options.sanitiser;
  const activity = source.kind === 'conversation' ? new TextActivity(source.directory) : undefined;
  for await (const segment of segmentsOf(planned, sanitiser, activity, recorder)) {
    options.signal?.throwIfAborted();
    if (options.stop?.() === true) throw new Stopped();
    gather(prepared, segment);
    await pieces.add(segment.text);
    await breathe();
  }
  prepared.pieces = await pieces.finish();
  prepared.activity = activity?.finish();
  return prepared;
}

/** The readers load the Markdown parser (50 ms), which a run with nothing new does not need. */
async function* segmentsOf(
  { source, record }: PlannedSource,
  sanitiser: Sanitiser | undefined,
  activity: TextActivity | undefined,
  recorder: CheckpointRecorder | undefined,
): AsyncGenerator<Segment> {
  const { path, text, kind } = source;
  if (kind === 'conversation') {
    const { conversationSegments } = await import('./read/conversation.js');
    return yield* conversationSegments({ path, sanitiser, activity, recorder });
  }
  const { documentSegments, textSegments } = await import('./read/document.js');
  const options = { ...source, name: record.place };
  if (text !== undefined) yield* textSegments(text, options);
  else yield* documentSegments(options, sanitiser);
}

function gather(prepared: PreparedSource, segment: Segment): void {
  prepared.record.title ??= segment.title ?? null;
  prepared.chars += segment.text.length;
  prepared.messages.push(...segment.messages);
  prepared.turns.push(...segment.turns);
  addCounts(prepared.redacted, segment.redacted);
  for (const problem of segment.problems) prepared.problems.push(`line ${problem.line}: ${problem.reason}`);
  for (const chunk of segment.chunks) prepared.drafts.push({ ...chunk, vectorHash: textKey(chunk.text) });
}
