import { headAt, type TurnMark } from '../../core/turns.js';
import { oneLine } from '../../miner/chunk/context.js';
import { CONTEXT_MAX } from '../../miner/chunk/limits.js';
import type { EmbeddingQueue } from '../../miner/embedding-queue.js';
import { PieceBuilder } from '../../miner/pieces.js';
import { textSegments } from '../../miner/read/document.js';
import type { Chunk } from '../../miner/segment.js';
import type { TracingSanitiser } from '../../sanitiser/index.js';
import type { ArchivedDrawer, ArchivedSource, DrawerDraft, Filing, Palace } from '../../store/index.js';
import { type CleanedText, cleanFiled } from './filed-text.js';

/** Shorter secrets and prefixes occur in text by chance. */
const LEAST_SECRET = 6;
const LEAST_BEGINNING = 4;
/** A context of at least this length may have been cut off; one less, as no surrogate pair is split. */
const CUT_FROM = CONTEXT_MAX - 1;

/**
 * A filed source under the current rules, to be filed again. A document is chunked again. A conversation cannot be read
 * again from its records, so its drawers are the slices of the new text at the old positions. Text that is not redacted
 * keeps its drawer and its vector.
 */
export async function rewritten(
  palace: Palace,
  source: ArchivedSource,
  sanitiser: TracingSanitiser,
  queue: EmbeddingQueue,
): Promise<Filing> {
  const turns = palace.sources.turnsOf(source.id);
  const cleaned = await cleanFiled(source.kind, palace.sources.textOf(source.id), sanitiser, turns);
  const { text } = cleaned;
  const clean = cleanerOf(sanitiser, cleaned.removed);
  const drawers = [...palace.archive.drawers(source.id)];
  const cut =
    source.kind === 'document' ? cutAgain(source, text) : await cutAsBefore(drawers, cleaned, clean);
  const drafts: DrawerDraft[] = [];
  for (const draft of cut) {
    drafts.push({ ...draft, vectorHash: queue.want(draft.text) });
    await queue.room();
  }
  const pieces = new PieceBuilder();
  await pieces.add(text);
  const title = source.title === null ? null : await clean(source.title);
  const { id: _id, drawers: _drawers, ...record } = source;
  return {
    source: {
      ...record,
      title,
      directory: source.directory === null ? null : await clean(source.directory),
      room: await clean(source.room),
      sourceFile: title === source.title ? source.sourceFile : withoutTitle(source.sourceFile),
      place: source.kind === 'conversation' ? await clean(source.place) : source.place,
      versions: versionsAsOf(source.versions, sanitiser.version),
    },
    messages: palace.sources.messagesOf(source.id),
    turns: turns && movedTurns(turns, cleaned),
    pieces: await pieces.finish(),
    drafts,
    chars: text.length,
    addedBy: drawers[0]?.addedBy ?? 'mempalace scrub',
    refreshVectors: false,
  };
}

/** Marks of emptied turns are dropped. */
function movedTurns(turns: readonly TurnMark[], { text, placeAfter }: CleanedText): TurnMark[] {
  const moved = turns.map((turn) => ({ ...turn, start: placeAfter(turn.start) }));
  return moved.filter(
    (turn, index) =>
      turn.start < text.length && turn.start !== moved[index + 1]?.start && headAt(text, turn) !== undefined,
  );
}

function cutAgain({ place: name, mtimeMs }: ArchivedSource, text: string): Chunk[] {
  return [...textSegments(text, { name, mtimeMs })].flatMap(({ chunks }) => chunks);
}

async function cutAsBefore(
  drawers: readonly ArchivedDrawer[],
  { text: whole, questions, placeAfter }: CleanedText,
  clean: (text: string) => Promise<string>,
): Promise<Chunk[]> {
  const lineOf = lineCounter(whole);
  const cut: Chunk[] = [];
  for (const drawer of drawers) {
    const [start, end] = [placeAfter(drawer.start), placeAfter(drawer.end)];
    const text = whole.slice(start, end);
    if (text.trim() === '' && drawer.text.trim() !== '') continue;
    const { contentDate, role } = drawer;
    const lineStart = lineOf(end - text.trimStart().length);
    const lineEnd = lineOf(start + Math.max(0, text.trimEnd().length - 1));
    const context = questions.get(drawer.context) ?? oneLine(await clean(drawer.context));
    cut.push({ text, start, end, lineStart, lineEnd, context, contentDate, role });
  }
  return cut;
}

/** The feeder names its files after titles, which may contain a secret. */
function withoutTitle(sourceFile: string): string {
  if (!sourceFile.startsWith('mempalace-session/')) return sourceFile;
  return sourceFile.replace(/\/[a-z0-9-]+(_[^/]+\.jsonl)$/, '/session$1');
}

/** Cleans titles and contexts. A context is cut off at a maximum length, so it may end with half a secret. */
function cleanerOf(
  sanitiser: TracingSanitiser,
  removed: ReadonlyMap<string, string>,
): (text: string) => Promise<string> {
  const secrets = [...removed].filter(([secret]) => secret.length >= LEAST_SECRET);
  const known = new Map<string, string>();
  return async (text) => {
    let clean = known.get(text);
    if (clean !== undefined) return clean;
    clean = (await sanitiser.clean(text)).text;
    for (const [secret, instead] of secrets) {
      clean = clean.replaceAll(secret, instead);
      if (text.length >= CUT_FROM) clean = withoutBeginning(clean, secret);
    }
    known.set(text, clean);
    return clean;
  };
}

function withoutBeginning(text: string, secret: string): string {
  for (let length = Math.min(secret.length, text.length); length >= LEAST_BEGINNING; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length).trimEnd();
  return text;
}

/** Returns the 1-based line of a position; fast for positions near the previous one. */
function lineCounter(text: string): (place: number) => number {
  let line = 1;
  let at = 0;
  return (place) => {
    for (; at < place; at += 1) if (text[at] === '\n') line += 1;
    for (; at > place; at -= 1) if (text[at - 1] === '\n') line -= 1;
    return line;
  };
}

const SANITISER = /\bsanitiser [\d.]+/;

export function isCleanAsOf(versions: string, sanitiser: number): boolean {
  return SANITISER.exec(versions)?.[0] === `sanitiser ${sanitiser}`;
}

export function versionsAsOf(versions: string, sanitiser: number): string {
  const now = `sanitiser ${sanitiser}`;
  return SANITISER.test(versions) ? versions.replace(SANITISER, now) : `${versions}, ${now}`;
}
