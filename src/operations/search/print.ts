import { BAR, NOTICE } from '../../core/outside.js';
import type { Matcher } from '../../search/matches.js';
import { plural } from '../../terminal/durations.js';
import {
  framedPlace,
  isMarkdown,
  joined,
  linesOf,
  shownId,
  titleOf,
  type View,
} from '../../terminal/labels.js';
import { partsOf, quote } from '../../terminal/quote.js';
import { level } from '../../terminal/spark.js';
import { type Column, columnWidths, renderTable } from '../../terminal/table.js';
import { line } from '../../terminal/terminal.js';
import { shorten } from '../../terminal/width.js';
import type { Hit, Related } from './found.js';
import { indexEntry } from './index-entry.js';

export interface HitsShown {
  matcher: Matcher;
  offset: number;
  explain: boolean;
  view: View;
}

/** Rows of a passage, at most. */
const PASSAGE_ROWS = 12;
const INDENT = '   ';
/** Parts of a score that are no shares of 1. */
const UNBOUNDED: ReadonlySet<string> = new Set(['drawers', 'bm25', 'here']);

/** Hits with their passages. Lines end in line feeds. */
export function renderHits(hits: readonly Hit[], shown: HitsShown): string {
  const { offset, view } = shown;
  const { paint, width, quiet } = view;
  const blocks = hits.map((hit, index) => renderHit(hit, offset + index + 1, shown));
  // Numbers are kept per terminal.
  const one = width === undefined ? '<drawer id>' : `${offset + 1}`;
  const hint = quiet ? [] : [paint('dim', `read on: mempalace show ${one}, mempalace timeline ${one}`)];
  const rows = [paint('dim', `results (${NOTICE})`), '', ...blocks.flatMap((rows) => [...rows, '']), ...hint];
  return `${rows.join('\n')}\n`;
}

function renderHit(hit: Hit, number: number, { matcher, view, explain }: HitsShown): string[] {
  const { drawer, score, passage, more } = hit;
  const { paint } = view;
  const first = passage[0]?.drawer ?? drawer;
  const last = passage.at(-1)?.drawer ?? drawer;
  const where = joined(line(`${drawer.wing} / ${drawer.room}`), drawer.contentDate);
  const id = shownId(drawer.drawerId, view);
  const drawers = passage.map((other) => other.drawer);
  const text = quote(partsOf(drawers), view, {
    indent: INDENT.length,
    rows: PASSAGE_ROWS,
    matcher,
    reflow: isMarkdown(drawer),
  });
  const marker = `${number}. `;
  const place = { title: titleOf(drawer), where, origin: drawer.origin };
  const [title = '', ...below] = framedPlace(place, view, marker.length).map((row) =>
    row.slice(marker.length),
  );
  const rows = [marker + title, ...below.map((row) => INDENT + row), ...text.rows];
  if (text.hidden > 0) {
    const radius = Math.max(...passage.map((other) => Math.abs(other.drawer.chunkIndex - drawer.chunkIndex)));
    const around = radius > 0 ? ` --radius ${radius}` : '';
    const whole = `mempalace show ${view.width === undefined ? id : number}${around}`;
    rows.push(INDENT + paint('dim', `… ${plural(text.hidden, 'more line')}: ${whole}`));
  }
  if (more.length > 0) {
    rows.push(INDENT + paint('dim', `${plural(more.length, 'more passage')} in this ${drawer.kind}`));
  }
  const lines = linesOf(first.lineStart, last.lineEnd);
  rows.push(INDENT + paint('dim', `${id}, ${lines}  ${score.toFixed(2)}`));
  if (explain) rows.push(...explained(hit, view).map((row) => INDENT + paint('dim', row)));
  return rows;
}

/** The parts of a hit's score, and the kind of its text. */
function explained({ scores, drawer }: Hit, { draws = false }: Pick<View, 'draws'>): string[] {
  const barOf = (name: keyof typeof scores): string =>
    draws && !UNBOUNDED.has(name) ? `${level(scores[name] ?? 0)} ` : '';
  const row = (...names: (keyof typeof scores)[]): string =>
    names
      .flatMap((name) =>
        name in scores ? `${name} ${barOf(name)}${scores[name]?.toFixed(name === 'drawers' ? 0 : 2)}` : [],
      )
      .join('  ');
  return [
    row('words', 'semantic', 'match', 'beside', 'source', 'drawers', 'time'),
    row('relevance', 'recency', 'importance', 'here', 'lexical', 'bm25'),
    `kind: ${drawer.textKind ?? drawer.kind}`,
  ];
}

const INDEX: readonly Column[] = [
  { align: 'right' },
  { style: 'dim' },
  {},
  { style: 'cyan', share: 0.22 },
  { style: 'bold', share: 0.26 },
];
/** With fewer columns left, a hit's text gets its own line. */
const LEAST_TEXT_WIDTH = 24;

/** One line per hit: columns at a terminal, otherwise fields separated by tabs. */
export function renderIndex(hits: readonly Hit[], { matcher, offset, explain, view }: HitsShown): string {
  const { width, paint } = view;
  const entries = hits.map((hit, index) => {
    const { drawerId, date, wing, room, snippet: text } = indexEntry(hit, matcher);
    const number = width === undefined ? [] : [`${offset + index + 1}.`];
    const head = [
      ...number,
      shownId(drawerId, view),
      date,
      BAR + line(`${wing}/${room}`),
      titleOf(hit.drawer),
    ];
    return { head, text, notes: explain ? explained(hit, view) : [] };
  });
  if (width === undefined)
    return entries.map(({ head, text, notes }) => `${[...head, text, ...notes].join('\t')}\n`).join('');
  const heads = entries.map(({ head }) => head);
  const used = columnWidths(heads, INDEX, width).reduce((sum, column) => sum + column + 2, 0);
  const fits = width - used >= LEAST_TEXT_WIDTH;
  const rows = fits
    ? renderTable(
        entries.map(({ head, text }) => [...head, text]),
        [...INDEX, {}],
        view,
      )
    : renderTable(heads, INDEX, view);
  return entries
    .flatMap(({ text, notes }, index) => [
      rows[index] ?? '',
      ...(fits ? [] : [INDENT + BAR + shorten(text, width - INDENT.length - BAR.length)]),
      ...notes.map((note) => INDENT + paint('dim', note)),
    ])
    .map((row) => `${row}\n`)
    .join('');
}

/** The documents that hits link to, one line each. Lines end in line feeds. */
export function renderRelated(related: readonly Related[], { paint, width }: View): string {
  const rows = related.map(({ drawer, link }) => {
    const text = `${titleOf(drawer)}  ${/^\.{0,2}\//.test(link) ? line(link) : `[[${line(link)}]]`}  ${line(`${drawer.wing} / ${drawer.room}`)}`;
    const id = shownId(drawer.drawerId, { width });
    return `${paint('dim', id)}  ${BAR}${width === undefined ? text : shorten(text, width - id.length - 4)}`;
  });
  return [paint('dim', 'linked from these'), ...rows].map((row) => `${row}\n`).join('');
}
