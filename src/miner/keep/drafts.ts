import { textKey } from '../../embedding/index.js';
import type { DrawerDraft } from '../../store/index.js';
import { lineEnds } from '../chunk/lines.js';
import { markdownAtoms } from '../chunk/markdown.js';
import { SegmentWriter } from '../chunk/writer.js';

/** A stretch of a text with the drawers of the whole text. Without `drafts` it is cut again. */
export interface Stretch {
  text: string;
  /** Offset of the stretch in the text of the drafts. */
  start: number;
  drafts: readonly Draft[];
  /** Its words differ from those of the drafts. */
  changed: boolean;
}

export type Draft = Omit<DrawerDraft, 'vectorHash' | 'lineStart' | 'lineEnd'>;

/**
 * The drawers of a text that is joined from stretches of others. A drawer whose text is all in one stretch stays as
 * it is, with its id and its vector; one that crosses an end is cut there.
 */
export function joinedDrafts(stretches: readonly Stretch[]): DrawerDraft[] {
  const drafts: DrawerDraft[] = [];
  let [offset, line] = [0, 1];
  for (const stretch of stretches) {
    const { text, start } = stretch;
    let at = 0;
    const lineAt = (place: number): number => {
      line += lineEnds(text, at, place);
      at = place;
      return line;
    };
    for (const draft of stretch.changed ? cutAgain(stretch) : clipped(stretch)) {
      const { text: words } = draft;
      const from = draft.start - start;
      const lineStart = lineAt(from + words.length - words.trimStart().length);
      const lineEnd = lineAt(Math.max(at, from + words.trimEnd().length));
      const place = { start: offset + from, end: offset + draft.end - start };
      drafts.push({ ...draft, ...place, lineStart, lineEnd, vectorHash: textKey(words) });
    }
    lineAt(text.length);
    offset += text.length;
  }
  return drafts;
}

function clipped({ text, start, drafts }: Stretch): Draft[] {
  const end = start + text.length;
  const parts: Draft[] = [];
  for (let at = firstAfter(drafts, start); at < drafts.length; at += 1) {
    const draft = drafts[at];
    if (draft === undefined || draft.start >= end) break;
    const [from, to] = [Math.max(start, draft.start), Math.min(end, draft.end)];
    parts.push({
      ...draft,
      text: draft.text.slice(from - draft.start, to - draft.start),
      start: from,
      end: to,
    });
  }
  return parts;
}

function firstAfter(drafts: readonly Draft[], place: number): number {
  let [low, high] = [0, drafts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((drafts[middle]?.end ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Cuts a stretch whose words have changed since its drawers were cut. */
function cutAgain({ text, start, drafts }: Stretch): Draft[] {
  const { context = '', contentDate = null, role = null } = drafts[firstAfter(drafts, start)] ?? {};
  const note = { context, contentDate, role };
  const writer = new SegmentWriter();
  writer.append(text);
  writer.push(markdownAtoms(text, { document: false, note: () => note }));
  const chunks = writer.finish().flatMap((segment) => segment.chunks);
  return chunks.map((chunk) => ({ ...chunk, start: chunk.start + start, end: chunk.end + start }));
}
