/** A passage among its neighbours, and what else is of its day. */
import * as z from 'zod/mini';
import { line, NOTICE } from '../../core/outside.js';
import { plural } from '../../core/plural.js';
import { pathOfKey } from '../../core/source-key.js';
import { type Spoken, spokenAs, UNKNOWN_SPEAKERS } from '../../reading/speakers.js';
import {
  framedLines,
  framedPlace,
  isMarkdown,
  joined,
  linesOf,
  shownId,
  type View,
} from '../../terminal/labels.js';
import { quote, TEXT } from '../../terminal/quote.js';
import { drawerJson, sourceJson } from '../drawer-fields.js';
import { count, day, drawerId, field, named, within } from '../fields.js';
import { operation } from '../operation.js';
import { type Drawer, drawer, type Source, source } from '../source.js';
import { inItself } from '../wing.js';
import { timelineAnswer } from './timeline-answer.js';

/** Other sources of the day. */
const SAME_DAY = 10;
/** Neighbours on each side, at most, and for agents. */
const MOST_AROUND = 100;
const MOST_AROUND_TOLD = 20;
/** Rows of text shown for the drawer, and for each neighbour. */
const ROWS = 12;
const ROWS_AROUND = 4;

const radius = (usual: number, most?: number) =>
  z._default(z.int().check(z.minimum(0), ...(most === undefined ? [] : [z.maximum(most)])), usual);

export const timeline = {
  timeline: operation({
    name: 'timeline',
    summary: 'Show the passages around a passage, and other sources of that day',
    quotes: true,
    reads: true,
    inWing: inItself,
    input: () =>
      z.strictObject({
        id: field(named(), 'an id printed by `mempalace search`, or its beginning', {
          cli: '<drawer-id>',
          hits: true,
          tool: 'drawer_id',
          agents: 'of a hit, or its first 8 digits',
        }),
        radius: field(radius(3), 'passages on each side', {
          agents: 'drawers before and after',
          most: MOST_AROUND,
          ofAgents: () => radius(2, MOST_AROUND_TOLD),
        }),
        within: within(),
      }),
    output: () =>
      z.strictObject({
        drawer_id: drawerId,
        day,
        source,
        /** In the order of the source. */
        drawers: z.array(z.extend(drawer, { marked: z.boolean() })),
        previous: z.nullable(drawerId),
        next: z.nullable(drawerId),
        same_day: z.array(z.extend(source, { drawers_of_day: count, first_drawer_id: drawerId })),
        same_day_total: count,
      }),
    async run({ id, radius, within: wing }, { handle }) {
      const { timelineOf } = await import('../../reading/timeline.js');
      const palace = handle.get();
      return palace.snapshot(() => {
        const found = timelineOf(palace, id, { radius, sources: SAME_DAY, wing });
        const { drawer, passage, count, previous, next, day, sameDay, sameDayTotal } = found;
        const { drawerId, kind, sourceId } = drawer;
        const turns = kind === 'conversation' ? (palace.sources.turnsOf(sourceId) ?? null) : null;
        return {
          drawer_id: drawerId,
          day,
          source: sourceJson(drawer, count),
          drawers: passage.map((each) => ({
            ...drawerJson({ ...each, pinned: each.pinned === 1, turns }),
            marked: each.drawerId === drawerId,
          })),
          previous,
          next,
          same_day: sameDay.map((each) => ({
            ...sourceJson(each, each.drawers),
            drawers_of_day: each.drawersOfDay,
            first_drawer_id: each.firstDrawerId,
          })),
          same_day_total: sameDayTotal,
        };
      });
    },
    opens: ({ drawer_id }) => [drawer_id],
    long({ drawer_id, day, source, drawers, previous, next, same_day, same_day_total }, view) {
      const { paint } = view;
      const where = joined(line(`${source.wing} / ${source.room}`), plural(source.drawers, 'passage'));
      const { origin } = source;
      const rows = [
        paint('dim', `passages (${NOTICE})`),
        '',
        ...framedPlace({ title: titleOf(source, drawer_id), where, origin }, view),
        '',
      ];
      if (previous !== null) rows.push(paint('dim', `⋮ before: ${shownId(previous, view)}`), '');
      for (const each of drawers) rows.push(...drawerRows(each, source, view), '');
      if (next !== null) rows.push(paint('dim', `⋮ after: ${shownId(next, view)}`), '');
      rows.push(paint('bold', same_day.length === 0 ? `nothing else on ${day}` : `also on ${day}`));
      for (const { first_drawer_id, drawers_of_day, title, source_file, wing, room } of same_day) {
        const which = joined(shownId(first_drawer_id, view), plural(drawers_of_day, 'passage'));
        const lines = [
          [undefined, line(title ?? '') || line(source_file)],
          ['dim', line(`${wing} / ${room}`)],
        ] as const;
        rows.push(`  ${paint('dim', which)}`, ...framedLines(lines, view, 2));
      }
      const more = same_day_total - same_day.length;
      if (more > 0) rows.push(paint('dim', `… ${more} more`));
      return `${rows.join('\n')}\n`;
    },
    address: 'A drawer among its neighbours, and what else is of that day',
    tool: {
      name: 'mempalace_timeline',
      title: 'Read around a drawer',
      description:
        'A drawer, the passages before and after it in its session or document, and other sources of that day. Use it after a search, to see what led to a matter and what followed.',
      core: true,
      tokens: 3_000,
      answer: timelineAnswer,
    },
  }),
};

function drawerRows(
  { marked, ...drawer }: Drawer & { marked: boolean },
  source: Source,
  view: View,
): string[] {
  const { paint } = view;
  const { drawer_id, content_date, line_start, line_end, role } = drawer;
  const place = joined(shownId(drawer_id, view), content_date, linesOf(line_start, line_end), role);
  const rows = marked ? ROWS : ROWS_AROUND;
  const reflow = isMarkdown({ kind: source.kind, sourceFile: source.source_file });
  const text = quote(partsOf(drawer, source), view, { indent: 2, rows, reflow });
  const head = marked ? `${paint('bold', '▶')} ${paint('bold', place)}` : `  ${paint('dim', place)}`;
  const more = text.hidden > 0 ? [paint('dim', `  … ${plural(text.hidden, 'more line')}`)] : [];
  return [head, ...text.rows, ...more];
}

/** What a passage is called where its source has no title. */
function titleOf({ title, kind, source_key, directory }: Source, id: string): string {
  const place = kind === 'document' ? pathOfKey(source_key) : directory;
  return line(title ?? '') || line(place ?? '') || id;
}

function partsOf({ text, turns }: Drawer, { kind }: Source): Spoken[] {
  if (turns !== null) return spokenAs(text, turns);
  return [{ speaker: kind === 'conversation' ? UNKNOWN_SPEAKERS : TEXT, text }];
}
