import type { TextActivity } from '../../activity/index.js';
import type { CheckpointEvent, CheckpointRecorder } from '../../checkpoint/index.js';
import type { Part } from '../../core/parts.js';
import { SESSION_HEADER } from '../../core/session-header.js';
import { type JsonLine, readLines } from '../../platform/jsonl.js';
import { addCounts, type Sanitiser, type SpokenPlace } from '../../sanitiser/index.js';
import { oneLine } from '../chunk/context.js';
import { SegmentWriter } from '../chunk/writer.js';
import type { Segment } from '../segment.js';
import { type RecordedTurn, readRecord } from './records.js';
import { renderCall } from './render.js';
import { TranscriptText } from './transcript-text.js';

type TextCleaner = Pick<Sanitiser, 'clean' | 'cleanValue'>;

const NOTHING_CLEANED: TextCleaner = {
  clean: async (text) => ({ text, redacted: {} }),
  cleanValue: async (value) => ({ value, redacted: {} }),
};

export interface ConversationOptions {
  /** A Claude Code JSONL transcript: its path, or its lines. */
  path: string | AsyncIterable<JsonLine>;
  /** For transcripts that no feeder has cleaned. */
  sanitiser?: TextCleaner | undefined;
  activity?: TextActivity | undefined;
  /** Receives what the transcript contains, cleaned, and the lines at which it is compacted. */
  recorder?: Pick<CheckpointRecorder, 'add' | 'place'> | undefined;
}

/**
 * Reads a transcript line by line, renders it to text and cuts it into chunks by exchange: a turn of the user with
 * everything up to the next one. No chunk contains parts of two exchanges, so appending to a transcript changes no
 * earlier chunk. Results of tools follow their calls.
 *
 * Unreadable lines are reported and skipped. A file without any turn yields one empty segment with the problem
 * `not a transcript`.
 *
 * @throws the file system's error when the file cannot be read
 */
export async function* conversationSegments({
  path,
  sanitiser = NOTHING_CLEANED,
  activity,
  recorder,
}: ConversationOptions): AsyncGenerator<Segment> {
  const writer = new SegmentWriter();
  const transcript = new TranscriptText(writer, activity);
  const clean = async (text: string, place?: SpokenPlace): Promise<string> => {
    const cleaned = await sanitiser.clean(text, place);
    addCounts(writer.reported.redacted, cleaned.redacted);
    return cleaned.text;
  };
  const cleanPart = async (part: Part, role: RecordedTurn['role']): Promise<Part> => {
    if (part.kind === 'call') {
      const { value: input, redacted } = await sanitiser.cleanValue(part.input);
      addCounts(writer.reported.redacted, redacted);
      return { ...part, name: await clean(part.name), input };
    }
    const said = role === 'user' ? 'turn' : undefined;
    return { ...part, text: await clean(part.text, part.kind === 'result' ? 'result' : said) };
  };
  const observe = (event: CheckpointEvent): void => {
    recorder?.add(event);
    if (event.compaction !== undefined) transcript.place((line) => recorder?.place(line));
  };
  let turns = 0;
  for await (const line of typeof path === 'string' ? readLines(path) : path) {
    const read = line.text === undefined ? TOO_LONG : readRecord(line.text);
    if (read.kind === 'malformed') {
      writer.reported.problems.push({ line: line.number, reason: read.reason });
    } else if (read.kind === 'summary') {
      const text = await clean(read.text);
      observe({ ...read, text });
      transcript.aside(`[summary] ${text}`);
    } else if (read.kind === 'fact') {
      observe(read);
    } else if (read.kind === 'turn') {
      const parts: Part[] = [];
      for (const part of read.parts) parts.push(await cleanPart(part, read.role));
      const nonEmpty = parts.filter((part) => part.kind !== 'text' || part.text.trim() !== '');
      observe({ ...read, parts: nonEmpty });
      place(transcript, { ...read, parts: nonEmpty }, turns === 0);
      turns++;
    }
    yield* writer.take();
  }
  if (turns === 0) {
    const empty = new SegmentWriter();
    empty.reported.problems.push({ line: 0, reason: 'not a transcript' });
    yield* empty.finish();
    return;
  }
  transcript.finish();
  recorder?.place(writer.lineAtEnd);
  yield* writer.finish();
}

const TOO_LONG = { kind: 'malformed', reason: 'line longer than 64 MB' } as const;

function place(transcript: TranscriptText, turn: RecordedTurn, first: boolean): void {
  const said = turn.parts.find((part) => part.kind === 'text');
  const header =
    first && turn.role === 'user' && turn.parts.length === 1 && said && SESSION_HEADER.test(said.text);
  if (header) {
    transcript.aside(said.text, turn);
    return;
  }
  // Results first: they belong to the previous exchange, even if the user spoke in the same record.
  for (const part of turn.parts) if (part.kind === 'result') transcript.result(part, turn);
  if (turn.role === 'user' && turn.spoken && said) transcript.startExchange(questionOf(turn));
  for (const part of turn.parts) {
    if (part.kind === 'text') transcript.say(part.text, turn);
    else if (part.kind === 'call') transcript.call(renderCall(part.name, part.input), part.id, turn);
  }
  if (turn.parts.length === 0) transcript.silent(turn);
}

/** The beginning of the turn's text, with attachments. */
function questionOf(turn: RecordedTurn): string {
  const texts = turn.parts.map((part) => (part.kind === 'text' ? oneLine(part.text) : ''));
  return oneLine(texts.filter((text) => text !== '').join(' '));
}
