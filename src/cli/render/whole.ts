import type { DrawerPlace, TextLine } from '../../reading/index.js';
import type { SourceView } from '../../store/index.js';
import { plural } from '../durations.js';
import { line } from '../terminal.js';
import { joined, linesOf, shownId, shownPath, titleOf, type View } from './labels.js';
import { layOut } from './layout.js';
import { passageText } from './passage.js';
import { quotable } from './quotable.js';
import { BAR, NOTICE, quote } from './quote.js';
import { shorten } from './width.js';

/** A drawer, or one with its neighbours, whole; and where it stands. Lines end in line feeds. */
export function renderDrawer({ drawer, count, passage, previous, next }: DrawerPlace, view: View): string {
  const { paint, width } = view;
  const first = passage[0] ?? drawer;
  const last = passage.at(-1) ?? drawer;
  const cut = (text: string): string => (width === undefined ? text : shorten(text, width));
  const numbers =
    passage.length > 1
      ? `passages ${first.chunkIndex + 1}–${last.chunkIndex + 1} of ${count}`
      : `passage ${drawer.chunkIndex + 1} of ${count}`;
  const where = joined(line(`${drawer.wing} / ${drawer.room}`), drawer.contentDate, numbers, drawer.role);
  const notes = joined(
    line(drawer.context),
    drawer.priority === null ? '' : `priority ${line(drawer.priority)}`,
    drawer.pinned === 1 ? 'pinned' : '',
  );
  const place = `, ${linesOf(first.lineStart, last.lineEnd)}, ${shownId(drawer.drawerId, view)}`;
  const text = quote(passageText(passage), {
    width: width === undefined ? undefined : width - 2,
    paint,
  });
  const around = joined(
    previous === null ? '' : `before: ${shownId(previous, view)}`,
    next === null ? '' : `after: ${shownId(next, view)}`,
  );
  const rows = [
    paint('bold', cut(titleOf(drawer))),
    paint('cyan', cut(where)),
    ...(notes === '' ? [] : [cut(notes)]),
    paint('dim', `${shownPath(drawer.origin, (width ?? 0) - place.length, view)}${place}`),
    paint('dim', `text (${NOTICE})`),
    '',
    ...text.rows,
    '',
    ...(around === '' ? [] : [paint('dim', around)]),
    paint('dim', cut(`the whole source: mempalace show ${drawer.sessionId ?? drawer.sourceFile}`)),
  ];
  return `${rows.join('\n')}\n`;
}

/** What stands above the text of a source. */
export function sourceHead(source: SourceView, view: View): string {
  const { paint, width } = view;
  const cut = (text: string): string => (width === undefined ? text : shorten(text, width));
  const title = line(source.title ?? '') || line(source.sourceFile);
  const changed = new Date(source.mtimeMs).toISOString().slice(0, 10);
  const facts = joined(
    line(`${source.wing} / ${source.room}`),
    `changed ${changed}`,
    plural(source.drawers, 'passage'),
  );
  const rows = [
    paint('bold', cut(title)),
    paint('cyan', cut(facts)),
    paint('dim', shownPath(source.origin, width ?? 0, view)),
    paint('dim', `text (${NOTICE})`),
    '',
  ];
  return `${rows.join('\n')}\n`;
}

/** A line of a source behind its bar, or the heading of a turn, which has none: it is ours. */
export function renderLine(row: TextLine, { paint, width }: View): string {
  if (row.kind === 'speaker') {
    const date = row.date === undefined ? '' : `  ${paint('dim', row.date)}`;
    return `\n${paint('bold', row.role)}${date}\n`;
  }
  const text = quotable(row.text, width !== undefined).replace(/\n$/, '');
  const rows = layOut(text, width === undefined ? undefined : Math.max(width - BAR.length, 20));
  return rows
    .map(({ start, end, indent }) => `${BAR}${' '.repeat(indent)}${text.slice(start, end)}\n`)
    .join('');
}
