import { dayOf } from '../core/day.js';
import { BAR, NOTICE, quotable } from '../core/outside.js';
import { shellQuoted } from '../platform/shell-quoted.js';
import type { TextLine } from '../reading/transcript.js';
import type { DrawerPlace, Source } from '../service/contract/index.js';
import { plural } from './durations.js';
import { framedPlace, joined, linesOf, roomIn, shownId, titleOf, type View } from './labels.js';
import { layOut } from './layout.js';
import { partsOf, quote } from './quote.js';
import { line } from './terminal.js';

/** A drawer, with or without neighbours, and its place. Lines end in line feeds. */
export function renderDrawer({ drawer, count, passage, previous, next }: DrawerPlace, view: View): string {
  const { paint } = view;
  const first = passage[0] ?? drawer;
  const last = passage.at(-1) ?? drawer;
  const numbers =
    passage.length > 1
      ? `passages ${first.chunkIndex + 1}–${last.chunkIndex + 1} of ${count}`
      : `passage ${drawer.chunkIndex + 1} of ${count}`;
  const where = joined(line(`${drawer.wing} / ${drawer.room}`), drawer.contentDate);
  const notes = joined(
    line(drawer.context),
    drawer.priority === null ? '' : `priority ${line(drawer.priority)}`,
    drawer.pinned ? 'pinned' : '',
  );
  const place = [shownId(drawer.drawerId, view), linesOf(first.lineStart, last.lineEnd), numbers];
  const whole = `mempalace show ${shellQuoted(line(drawer.sessionId ?? drawer.sourceFile))}`;
  const around = joined(
    previous === null ? '' : `before: ${shownId(previous, view)}`,
    next === null ? '' : `after: ${shownId(next, view)}`,
  );
  const rows = [
    paint('dim', `text (${NOTICE})`),
    '',
    paint('dim', place.join(', ')),
    ...framedPlace({ title: titleOf(drawer), where, notes, origin: drawer.origin }, view),
    ...quote(partsOf(passage), view).rows,
    '',
    ...(around === '' ? [] : [paint('dim', around)]),
    paint('dim', 'the whole source:'),
    // Not cut: the user may copy it.
    BAR + paint('dim', whole),
  ];
  return `${rows.join('\n')}\n`;
}

/**
 * The lines above the text of a source.
 *
 * @param beginning a remark above a text without speakers
 */
export function sourceHead(source: Source, view: View, beginning: string | undefined): string {
  const { paint } = view;
  const title = line(source.title ?? '') || line(source.sourceFile);
  const changed = dayOf(source.mtimeMs);
  const where = joined(
    line(`${source.wing} / ${source.room}`),
    `changed ${changed}`,
    plural(source.drawers, 'passage'),
  );
  const rows = [
    paint('dim', `text (${NOTICE})`),
    '',
    ...framedPlace({ title, where, origin: source.origin }, view),
    ...(beginning === undefined ? [] : ['', paint('dim', beginning)]),
  ];
  return `${rows.join('\n')}\n`;
}

/** A line of a source behind its bar, or the generated heading of a turn without one. */
export function renderLine(row: TextLine, { paint, width }: View): string {
  if (row.kind === 'speaker') {
    const date = row.date === undefined ? '' : `  ${paint('dim', row.date)}`;
    return `\n${paint('bold', row.speaker)}${date}\n`;
  }
  const text = quotable(row.text, width !== undefined).replace(/\n$/, '');
  const rows = layOut(text, roomIn(width));
  return rows
    .map(({ start, end, indent }) => `${BAR}${' '.repeat(indent)}${text.slice(start, end)}\n`)
    .join('');
}
