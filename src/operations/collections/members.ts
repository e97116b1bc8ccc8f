/** What belongs to a collection now. */
import * as z from 'zod/mini';
import { BAR, line, NOTICE, plain } from '../../core/outside.js';
import { plural } from '../../core/plural.js';
import { shownId, type View } from '../../terminal/labels.js';
import { type Column, renderTable } from '../../terminal/table.js';
import { Budget } from '../budget.js';
import { day, field, offset } from '../fields.js';
import { operation } from '../operation.js';
import { cold, coldPlaces, patient } from '../search/fields.js';
import { drawer, source } from '../source.js';
import { collection, marksOf, named, SET, searchOf, shown, stated, WHOLE } from './collection.js';
import { EXPORT_FORMATS, type ExportFormat } from './export-formats.js';

const member = z.strictObject({
  ...z.omit(source, { drawers: true }).shape,
  ...drawer.shape,
  /** Date of its content, else the day of its source's last change. */
  day,
  added: z.boolean(),
  /** Null for a drawer that the search did not find, and without a question. */
  score: z.nullable(z.number()),
});
type Member = z.output<typeof member>;
const members = z.strictObject({
  collection,
  drawers: z.array(member),
  /** Why only words were compared. */
  notes: z.optional(z.array(z.string())),
});
export type Members = z.output<typeof members>;

export const collectionShow = operation({
  name: 'collection show',
  summary: 'Show a collection and what belongs to it now',
  quotes: true,
  reads: true,
  inWing: WHOLE,
  input: () =>
    z.strictObject({
      name: named(),
      cold: cold('from'),
      cold_places: coldPlaces(),
      wait: patient(null),
      format: field(z._default(z.enum(EXPORT_FORMATS), 'md'), 'the form', {
        cli: null,
        address: null,
        agents: '',
      }),
      offset: offset('drawers to skip', 'drawers to skip', { cli: null, address: null, most: 4_000 }),
    }),
  output: () => members,
  async run({ name, cold, cold_places, wait }, context) {
    const { belongingTo } = await import('./belonging.js');
    const { drawerJson, sourceFields } = await import('../drawer-fields.js');
    const { wordsAlone } = await import('../search/notes.js');
    const which = { name, cold: cold ? [] : cold_places, patient: wait };
    const { row, drawers, trouble } = await belongingTo(context, which, context.call.signal);
    const notes = wordsAlone({ trouble }, true);
    return {
      collection: await shown(row),
      drawers: drawers.map(({ drawer, isAdded, score }) => ({
        source_key: drawer.sourceKey,
        ...sourceFields(drawer),
        ...drawerJson(drawer),
        day: drawer.day,
        added: isAdded,
        score,
      })),
      ...(notes.length > 0 && { notes }),
    };
  },
  text({ collection, drawers, notes = [] }, terminal) {
    for (const note of notes) terminal.warn(line(note));
    if (terminal.options.json) return;
    const about = [searchOf(collection), plural(drawers.length, 'drawer'), marksOf(collection)];
    terminal.note(stated(line(collection.name), ...about));
  },
  long: ({ drawers }, view) => (drawers.length === 0 ? undefined : rendered(drawers, view)),
  address: 'A collection, and what belongs to it now',
  tool: {
    name: 'mempalace_export_collection',
    title: 'Export a collection',
    description:
      'What belongs to a collection now, whole texts: added drawers, then those that its search finds, best first. next_offset says where to go on.',
    set: SET,
    tokens: 8_000,
    answer({ collection, drawers: all, notes }, tokens, input) {
      const [format, offset] = [input.format as ExportFormat, Number(input.offset)];
      const drawers = new Budget(tokens).take(all.slice(offset));
      const next = offset + drawers.length;
      return {
        collection,
        format,
        ...(format === 'json' ? { drawers } : { content: textOf({ collection, drawers }, format) }),
        count: drawers.length,
        total: all.length,
        ...(next < all.length && { next_offset: next }),
        ...(notes && { notes }),
      };
    },
  },
});

const COLUMNS: Column[] = [{ style: 'dim' }, {}, {}, { style: 'cyan', share: 0.3 }, { style: 'bold' }];

function rendered(drawers: readonly Member[], view: View): string {
  const rows = drawers.map((each) => [
    shownId(each.drawer_id, view),
    each.day,
    each.added ? 'added' : (each.score?.toFixed(2) ?? ''),
    BAR + line(`${each.wing}/${each.room}`),
    titleOf(each),
  ]);
  const head = view.paint('dim', `drawers (${NOTICE})`);
  return [head, ...renderTable(rows, COLUMNS, view)].map((row) => `${row}\n`).join('');
}

const titleOf = ({ title, source_file }: Member): string => line(title ?? '') || line(source_file);

/** A collection as Markdown or plain text. Each line of a drawer's text has a mark, so that it cannot look like ours. */
export function textOf({ collection, drawers }: Members, format: Exclude<ExportFormat, 'json'>): string {
  const isMarkdown = format === 'md';
  const mark = isMarkdown ? '> ' : BAR;
  const about = [plural(drawers.length, 'drawer'), searchOf(collection)]
    .filter((part) => part !== '')
    .join(': ');
  const head = [isMarkdown ? `# ${collection.name}` : collection.name, '', about, NOTICE, ''];
  const blocks = drawers.map((each, index) => {
    const place = [
      each.drawer_id,
      line(`${each.wing} / ${each.room}`),
      each.day,
      `${line(each.origin)}, lines ${each.line_start}–${each.line_end}`,
      ...(each.added ? ['added'] : []),
    ].join(' · ');
    const text = plain(each.text).trimEnd().split('\n');
    const heading = `${isMarkdown ? '## ' : ''}${index + 1}. ${titleOf(each)}`;
    return [heading, '', place, '', ...text.map((row) => (mark + row).trimEnd()), ''];
  });
  return `${[...head, ...blocks.flat()].join('\n').trimEnd()}\n`;
}
