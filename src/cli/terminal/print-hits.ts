import { BAR, NOTICE } from '../../core/outside.js';
import type { TurnsOf } from '../../presentation/drawers.js';
import type { Hit } from '../../search/index.js';
import { plural } from '../app/durations.js';
import {
  framedLines,
  isMarkdown,
  joined,
  linesOf,
  shownId,
  shownPath,
  titleOf,
  type View,
} from './labels.js';
import { type Matcher, matcherOf } from './matches.js';
import { partsOf } from './passage.js';
import { quote, snippet } from './quote.js';
import { line } from './terminal.js';
import { displayWidth, pad, shorten } from './width.js';

export interface HitsShown {
  question: string;
  /** Hits before the first. */
  offset: number;
  explain: boolean;
  view: View;
  turnsOf: TurnsOf;
  /** Say at the end how to read on. */
  hint: boolean;
}

/** Rows of a passage that are shown; more of them is what `mempalace show` is for. */
const PASSAGE_ROWS = 12;
/** Characters of a hit in the index. */
const SNIPPET_CHARS = 100;
const INDENT = '   ';
/** Below so many columns nothing can be laid out; the terminal breaks the lines then. */
const LEAST_WIDTH = 30;

/** Hits with their passages, for people and for programs that read what people read. Lines end in line feeds. */
export function renderHits(hits: readonly Hit[], shown: HitsShown): string {
  const { paint } = shown.view;
  const matcher = matcherOf(shown.question);
  const blocks = hits.map((hit, index) => renderHit(hit, shown.offset + index + 1, matcher, shown));
  const hint = shown.hint
    ? [paint('dim', 'read on: mempalace show <drawer id>, mempalace timeline <drawer id>')]
    : [];
  const rows = [paint('dim', `results (${NOTICE})`), '', ...blocks.flatMap((rows) => [...rows, '']), ...hint];
  return `${rows.join('\n')}\n`;
}

function renderHit(
  hit: Hit,
  number: number,
  matcher: Matcher,
  { view, explain, turnsOf }: HitsShown,
): string[] {
  const { drawer, score, passage, more } = hit;
  const { paint } = view;
  const width = view.width === undefined ? undefined : Math.max(view.width, LEAST_WIDTH);
  const first = passage[0]?.drawer ?? drawer;
  const last = passage.at(-1)?.drawer ?? drawer;
  const marker = `${number}. `;
  const points = score.toFixed(2);
  const where = joined(line(`${drawer.wing} / ${drawer.room}`), drawer.contentDate);
  const place = `${shownId(drawer.drawerId, view)}, ${linesOf(first.lineStart, last.lineEnd)}`;
  const path = shownPath(drawer.origin, (width ?? 0) - INDENT.length - BAR.length, view);
  const drawers = passage.map((other) => other.drawer);
  const text = quote(partsOf(drawers, turnsOf), {
    width: width === undefined ? undefined : width - INDENT.length - 2,
    rows: PASSAGE_ROWS,
    matcher,
    reflow: isMarkdown(drawer),
    paint,
  });
  const rows = [
    `${marker}${place}  ${paint('dim', points)}`,
    ...framedLines(
      [
        ['bold', titleOf(drawer)],
        ['cyan', where],
        ['dim', path],
      ],
      { width, paint },
      INDENT.length,
    ),
    ...text.rows.map((row) => INDENT + row),
  ];
  if (text.hidden > 0) {
    const radius = Math.max(...passage.map((other) => Math.abs(other.drawer.chunkIndex - drawer.chunkIndex)));
    const around = radius > 0 ? ` --radius ${radius}` : '';
    const whole = `mempalace show ${shownId(drawer.drawerId, view)}${around}`;
    rows.push(INDENT + paint('dim', `… ${plural(text.hidden, 'more line')}: ${whole}`));
  }
  if (more.length > 0) {
    rows.push(INDENT + paint('dim', `${plural(more.length, 'more passage')} in this source`));
  }
  if (explain) rows.push(...explained(hit).map((row) => INDENT + paint('dim', row)));
  return rows;
}

/** What the score is made of. */
function explained({ scores }: Hit): string[] {
  const row = (...names: (keyof typeof scores)[]): string =>
    names.map((name) => `${name} ${scores[name].toFixed(2)}`).join('  ');
  return [
    row('lexical', 'semantic', 'match', 'beside', 'elsewhere'),
    row('relevance', 'recency', 'importance', 'bm25'),
  ];
}

/** What the index says of a hit. */
export function indexEntry({ drawer }: Hit, matcher: Matcher) {
  return {
    drawerId: drawer.drawerId,
    date: drawer.contentDate ?? drawer.day,
    wing: drawer.wing,
    room: drawer.room,
    title: drawer.title,
    snippet: snippet(drawer.text, matcher, SNIPPET_CHARS),
  };
}

/** One line a hit: columns at a terminal, fields between tabs elsewhere. */
export function renderIndex(hits: readonly Hit[], { question, explain, view }: HitsShown): string {
  const matcher = matcherOf(question);
  const rows = hits.map((hit) => {
    const entry = indexEntry(hit, matcher);
    const place = BAR + line(`${entry.wing}/${entry.room}`);
    const notes = explain ? explained(hit) : [];
    return [shownId(entry.drawerId, view), entry.date, place, titleOf(hit.drawer), entry.snippet, ...notes];
  });
  const { width, paint } = view;
  if (width === undefined) return rows.map((row) => `${row.join('\t')}\n`).join('');
  const shares = [0, 0, 0.22, 0.26];
  const columns = shares.map((share, index) => {
    const needed = Math.max(...rows.map((row) => displayWidth(row[index] ?? '')));
    return share === 0 ? needed : Math.min(needed, Math.floor(width * share));
  });
  return rows
    .map(([id = '', date = '', place = '', title = '', text = '', ...notes]) => {
      const fields = [id, date, place, title].map((field, index) => {
        const column = columns[index] ?? 0;
        return pad(shorten(field, column), column);
      });
      const [idField = '', dateField = '', placeField = '', titleField = ''] = fields;
      const used = fields.reduce((sum, field) => sum + displayWidth(field) + 2, 0);
      const head = [paint('dim', idField), dateField, paint('cyan', placeField), paint('bold', titleField)];
      // What is left beside the other columns may be too little to say anything: then the text has its own line.
      const beside = width - used >= 24;
      const tail = beside
        ? `  ${shorten(text, width - used)}`
        : `\n${INDENT}${BAR}${shorten(text, width - INDENT.length - BAR.length)}`;
      return [head.join('  ') + tail, ...notes.map((note) => INDENT + paint('dim', note)), ''].join('\n');
    })
    .join('');
}
