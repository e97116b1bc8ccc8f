import { headAt, type TurnMark } from '../../core/turns.js';
import { CONTEXT_MAX } from '../../miner/chunk/limits.js';
import type { EmbeddingQueue } from '../../miner/embedding-queue.js';
import { PieceBuilder } from '../../miner/pieces.js';
import { textSegments } from '../../miner/read/document.js';
import { applyEdits, movedPlaces, type TracingSanitiser } from '../../sanitiser/index.js';
import type { ArchivedDrawer, ArchivedSource, DrawerDraft, Filing, Palace } from '../../store/index.js';
import { type TracedText, traceFiled } from './filed-text.js';
import { asOf } from './versions.js';

/** Shorter secrets, and beginnings of some, stand in any text by chance. */
const TELLING_CHARS = 6;
const TELLING_END = 4;
/** A context of this length may have been cut off, a character pair apart. */
const CUT_FROM = CONTEXT_MAX - 1;

/**
 * A filed source as today's rules want it, to be filed in place of itself. A document is cut again. Of a conversation,
 * which is not read again from its records, the drawers are the slices of the new text that lie where they lay. So
 * what is not redacted keeps its drawer and its vector.
 */
export async function rewritten(
  palace: Palace,
  source: ArchivedSource,
  sanitiser: TracingSanitiser,
  queue: EmbeddingQueue,
): Promise<Filing> {
  const before = palace.sources.textOf(source.id);
  const turns = palace.sources.turnsOf(source.id);
  const traced = await traceFiled(source.kind, before, sanitiser, turns);
  const clean = cleanerOf(sanitiser, removedFrom(before, traced));
  const drawers = [...palace.archive.drawers(source.id)];
  const cut =
    source.kind === 'document' ? cutAnew(source, traced.text) : await cutAsItWas(drawers, traced, clean);
  const drafts: DrawerDraft[] = [];
  for (const draft of cut) {
    drafts.push({ ...draft, vectorHash: queue.want(draft.text) });
    await queue.room();
  }
  const pieces = new PieceBuilder();
  await pieces.add(traced.text);
  const title = source.title === null ? null : await clean(source.title);
  const directory = source.directory === null ? null : await clean(source.directory);
  const { id: _id, drawers: _drawers, ...record } = source;
  return {
    source: {
      ...record,
      title,
      directory,
      room: await clean(source.room),
      sourceFile: title === source.title ? source.sourceFile : withoutTitle(source),
      place: source.kind === 'conversation' ? await clean(source.place) : source.place,
      versions: asOf(source.versions, sanitiser.version),
    },
    messages: palace.sources.messagesOf(source.id),
    turns: turns && movedTurns(turns, traced),
    pieces: await pieces.finish(),
    drafts,
    chars: traced.text.length,
    addedBy: drawers[0]?.addedBy ?? 'mempalace scrub',
    refreshVectors: false,
  };
}

/** Where the marks are now; those of turns of which nothing is left go. */
function movedTurns(turns: readonly TurnMark[], { text, steps }: TracedText): TurnMark[] {
  const places = movedPlaces(
    turns.map(({ start }) => start),
    steps,
  );
  return turns
    .map(({ role }, index) => ({ role, start: places[index] ?? 0 }))
    .filter(
      (turn, index) =>
        turn.start < text.length && turn.start !== places[index + 1] && headAt(text, turn) !== undefined,
    );
}

type Cut = Omit<DrawerDraft, 'vectorHash'>;

function cutAnew({ place: name, mtimeMs }: ArchivedSource, text: string): Cut[] {
  return [...textSegments(text, { name, mtimeMs })].flatMap(({ chunks }) =>
    chunks.map(({ contentDate, role, ...chunk }) => ({
      ...chunk,
      contentDate: contentDate ?? null,
      role: role ?? null,
    })),
  );
}

async function cutAsItWas(
  drawers: readonly ArchivedDrawer[],
  { text: whole, steps, questions }: TracedText,
  clean: (text: string) => Promise<string>,
): Promise<Cut[]> {
  const places = movedPlaces(
    drawers.flatMap(({ start, end }) => [start, end]),
    steps,
  );
  const lineOf = lineCounter(whole);
  const cut: Cut[] = [];
  for (const [index, { contentDate, role, context, text: before }] of drawers.entries()) {
    const [start = 0, end = 0] = places.slice(2 * index, 2 * index + 2);
    const text = whole.slice(start, end);
    if (text.trim() === '' && before.trim() !== '') continue;
    cut.push({
      text,
      start,
      end,
      lineStart: lineOf(start + text.length - text.trimStart().length),
      lineEnd: lineOf(start + Math.max(0, text.trimEnd().length - 1)),
      context: questions.get(context) ?? (await clean(context)),
      contentDate,
      role,
    });
  }
  return cut;
}

/** The feeder names its files after titles. */
function withoutTitle({ sourceFile }: ArchivedSource): string {
  if (!sourceFile.startsWith('mempalace-session/')) return sourceFile;
  return sourceFile.replace(/\/[a-z0-9-]+(_[^/]+\.jsonl)$/, '/session$1');
}

/** What was taken out of a text, on one line as contexts have it, and what took its place. */
function removedFrom(before: string, { steps }: TracedText): Map<string, string> {
  const removed = new Map<string, string>();
  let text = before;
  for (const edits of steps) {
    for (const { start, end, text: instead } of edits) {
      const secret = text.slice(start, end).replace(/\s+/g, ' ').trim();
      if (secret.length >= TELLING_CHARS) removed.set(secret, instead);
    }
    text = applyEdits(text, edits);
  }
  return removed;
}

/**
 * Cleans what was made of a text: titles, contexts. Contexts are cut off at some length, so that half a secret may
 * stand at their end, which no rule knows by itself.
 */
function cleanerOf(
  sanitiser: TracingSanitiser,
  removed: ReadonlyMap<string, string>,
): (text: string) => Promise<string> {
  const known = new Map<string, string>();
  return async (text) => {
    let clean = known.get(text);
    if (clean !== undefined) return clean;
    clean = (await sanitiser.clean(text)).text;
    for (const [secret, instead] of removed) {
      clean = clean.replaceAll(secret, instead);
      if (text.length >= CUT_FROM) clean = withoutEnd(clean, secret);
    }
    known.set(text, clean);
    return clean;
  };
}

/** The text without the beginning of a secret at its end. */
function withoutEnd(text: string, secret: string): string {
  for (let length = Math.min(secret.length, text.length); length >= TELLING_END; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length).trimEnd();
  return text;
}

/** Says the 1-based line of a place; to be asked for ascending places mostly. */
function lineCounter(text: string): (place: number) => number {
  let line = 1;
  let at = 0;
  return (place) => {
    if (place < at) {
      line = 1;
      at = 0;
    }
    for (let feed = text.indexOf('\n', at); feed !== -1 && feed < place; feed = text.indexOf('\n', at)) {
      line += 1;
      at = feed + 1;
    }
    return line;
  };
}
