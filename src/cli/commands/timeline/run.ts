import { NOTICE } from '../../../core/outside.js';
import { SAME_DAY_SHOWN, timelineDocument } from '../../../presentation/shown.js';
import type { Drawer, Timeline } from '../../../service/contract/index.js';
import { plural } from '../../../terminal/durations.js';
import {
  framedLines,
  framedPlace,
  isMarkdown,
  joined,
  linesOf,
  shownId,
  titleOf,
  type View,
  viewOf,
} from '../../../terminal/labels.js';
import { printLong } from '../../../terminal/pager.js';
import { partsOf, quote } from '../../../terminal/quote.js';
import { line } from '../../../terminal/terminal.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

export interface TimelineFlags extends CommonFlags {
  radius?: number;
  pager: boolean;
}

const RADIUS = 3;
/** Rows of text shown for the drawer, and for each neighbour. */
const ROWS = 12;
const ROWS_AROUND = 4;

export async function runTimeline(context: CommandContext, flags: TimelineFlags, id: string): Promise<void> {
  const { terminal, folders } = context;
  const { radius = RADIUS } = flags;
  return withService(context, async (service, call) => {
    const timeline = await service.timeline({ id, radius, sources: SAME_DAY_SHOWN }, call);
    terminal.json(timelineDocument(timeline));
    if (terminal.options.json) return;
    await printLong(terminal, flags.pager, [renderTimeline(timeline, viewOf(terminal, folders.home))]);
  });
}

/** The drawer, marked, with its neighbours and the other sources of that day. Ends in a line feed. */
export function renderTimeline(timeline: Timeline, view: View): string {
  const { drawer, passage, count, previous, next, day, sameDay, sameDayTotal } = timeline;
  const { paint } = view;
  const where = joined(line(`${drawer.wing} / ${drawer.room}`), plural(count, 'passage'));
  const rows = [
    paint('dim', `passages (${NOTICE})`),
    '',
    ...framedPlace({ title: titleOf(drawer), where, origin: drawer.origin }, view),
    '',
  ];
  if (previous !== null) rows.push(paint('dim', `⋮ before: ${shownId(previous, view)}`), '');
  for (const other of passage)
    rows.push(...renderDrawer(other, other.drawerId === drawer.drawerId, view), '');
  if (next !== null) rows.push(paint('dim', `⋮ after: ${shownId(next, view)}`), '');
  rows.push(paint('bold', sameDay.length === 0 ? `nothing else on ${day}` : `also on ${day}`));
  for (const source of sameDay) rows.push(...renderSource(source, view));
  if (sameDayTotal > sameDay.length) rows.push(paint('dim', `… ${sameDayTotal - sameDay.length} more`));
  return `${rows.join('\n')}\n`;
}

function renderDrawer(drawer: Drawer, marked: boolean, view: View): string[] {
  const { paint } = view;
  const place = joined(
    shownId(drawer.drawerId, view),
    drawer.contentDate,
    linesOf(drawer.lineStart, drawer.lineEnd),
    drawer.role,
  );
  const rows = marked ? ROWS : ROWS_AROUND;
  const text = quote(partsOf([drawer]), view, { indent: 2, rows, reflow: isMarkdown(drawer) });
  const head = marked ? `${paint('bold', '▶')} ${paint('bold', place)}` : `  ${paint('dim', place)}`;
  const more = text.hidden > 0 ? [paint('dim', `  … ${plural(text.hidden, 'more line')}`)] : [];
  return [head, ...text.rows, ...more];
}

function renderSource(source: Timeline['sameDay'][number], view: View): string[] {
  const { paint } = view;
  const title = line(source.title ?? '') || line(source.sourceFile);
  return [
    `  ${paint('dim', joined(shownId(source.firstDrawerId, view), plural(source.drawersOfDay, 'passage')))}`,
    ...framedLines(
      [
        [undefined, title],
        ['dim', line(`${source.wing} / ${source.room}`)],
      ],
      view,
      2,
    ),
  ];
}
