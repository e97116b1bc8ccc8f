import type { Hit, Ranked } from '../search/index.js';

/** A hit as `--json` shows it; the shape is documented in docs/json-output.md. */
export function hitJson(hit: Hit): Record<string, unknown> {
  const { drawer } = hit;
  return {
    ...rankedJson(hit),
    wing: drawer.wing,
    room: drawer.room,
    kind: drawer.kind,
    source_file: drawer.sourceFile,
    origin: drawer.origin,
    directory: drawer.directory,
    session_id: drawer.sessionId,
    title: drawer.title === '' ? null : drawer.title,
    context: drawer.context === '' ? null : drawer.context,
    role: drawer.role,
    priority: drawer.priority,
    pinned: drawer.pinned === 1,
    text: drawer.text,
    passage: passageOf(hit),
    more: hit.more.map(rankedJson),
  };
}

function rankedJson({ drawer, score, scores }: Ranked): Record<string, unknown> {
  return {
    drawer_id: drawer.drawerId,
    score: round(score),
    scores: Object.fromEntries(Object.entries(scores).map(([name, value]) => [name, round(value)])),
    line_start: drawer.lineStart,
    line_end: drawer.lineEnd,
    content_date: drawer.contentDate,
  };
}

function passageOf({ passage }: Hit): Record<string, unknown> {
  return {
    line_start: passage[0]?.drawer.lineStart,
    line_end: passage.at(-1)?.drawer.lineEnd,
    drawers: passage.map(rankedJson),
    text: passageText(passage),
  };
}

/** The drawers' texts as they stand in the source; what lies between two that do not touch was left out there. */
export function passageText(passage: readonly Ranked[]): string {
  let text = '';
  let end: number | undefined;
  for (const { drawer } of passage) {
    if (end !== undefined && drawer.charStart !== end) text += '\n[…]\n';
    text += drawer.text;
    end = drawer.charEnd;
  }
  return text;
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
