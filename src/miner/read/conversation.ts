import { type Part, SESSION_HEADER } from '../../core/parts.js';
import { type JsonLine, readLines } from '../../platform/jsonl.js';
import type { Sanitiser, SpokenPlace } from '../../sanitiser/index.js';
import { oneLine } from '../chunk/context.js';
import { SegmentWriter } from '../chunk/writer.js';
import type { Segment } from '../segment.js';
import { type RecordedTurn, readRecord } from './records.js';
import { renderCall } from './render.js';
import { TranscriptText } from './transcript-text.js';

/** Removes secrets and injected text. */
type TextCleaner = Pick<Sanitiser, 'clean' | 'cleanValue'>;

export interface ConversationOptions {
  /** A Claude Code JSONL transcript: its path, or its lines. */
  path: string | AsyncIterable<JsonLine>;
  /** For transcripts that no feeder has cleaned. */
  sanitiser?: TextCleaner | undefined;
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
export async function* conversationSegments(options: ConversationOptions): AsyncGenerator<Segment> {
  const writer = new SegmentWriter();
  const transcript = new TranscriptText(writer);
  let turns = 0;
  const { path } = options;
  for await (const line of typeof path === 'string' ? readLines(path) : path) {
    if (line.text === undefined) {
      writer.problem(line.number, 'line longer than 64 MB');
      continue;
    }
    const read = readRecord(line.text);
    if (read.kind === 'malformed') {
      writer.problem(line.number, read.reason);
    } else if (read.kind === 'summary') {
      transcript.aside(`[summary] ${await cleanText(read.text, options.sanitiser, writer)}`);
    } else if (read.kind === 'turn') {
      const parts = await cleanParts(read, options.sanitiser, writer);
      place(transcript, { ...read, parts }, turns === 0);
      turns++;
    }
    yield* writer.take();
  }
  if (turns === 0) {
    const empty = new SegmentWriter();
    empty.problem(0, 'not a transcript');
    yield* empty.finish();
    return;
  }
  transcript.finish();
  yield* writer.finish();
}

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

/** Cleans the parts and drops empty texts. */
async function cleanParts(
  { parts, role }: RecordedTurn,
  sanitiser: TextCleaner | undefined,
  writer: SegmentWriter,
): Promise<Part[]> {
  const cleaned: Part[] = [];
  for (const part of parts) {
    if (part.kind === 'call') {
      const name = await cleanText(part.name, sanitiser, writer);
      cleaned.push({ ...part, name, input: await cleanInput(part.input, sanitiser, writer) });
      continue;
    }
    const said = role === 'user' ? 'turn' : undefined;
    const text = await cleanText(part.text, sanitiser, writer, part.kind === 'result' ? 'result' : said);
    if (part.kind === 'result' || text.trim() !== '') cleaned.push({ ...part, text });
  }
  return cleaned;
}

async function cleanText(
  text: string,
  sanitiser: TextCleaner | undefined,
  writer: SegmentWriter,
  place?: SpokenPlace,
): Promise<string> {
  if (sanitiser === undefined) return text;
  const cleaned = await sanitiser.clean(text, place);
  writer.redact(cleaned.redacted);
  return cleaned.text;
}

async function cleanInput(
  input: unknown,
  sanitiser: TextCleaner | undefined,
  writer: SegmentWriter,
): Promise<unknown> {
  if (sanitiser === undefined) return input;
  const cleaned = await sanitiser.cleanValue(input);
  writer.redact(cleaned.redacted);
  return cleaned.value;
}
