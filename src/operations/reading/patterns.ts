/** What recurs across sessions. */
import * as z from 'zod/mini';
import { line, NOTICE } from '../../core/outside.js';
import { PATTERN_KINDS } from '../../core/pattern-kinds.js';
import { plural } from '../../core/plural.js';
import { framedLines, joined, shownId, type View } from '../../terminal/labels.js';
import { count, day, drawerId, field, limit, name, named, offset } from '../fields.js';
import { operation } from '../operation.js';
import { pageFor, told } from '../told.js';

/** Occurrences of a pattern that are listed, at most, and those that agents are told. */
const OCCURRENCES = 5;
const OCCURRENCES_TOLD = 3;
/** Lines of a message. */
const LINES = 4;

const kind = z.enum(PATTERN_KINDS);
const occurrence = z.strictObject({
  /** Of a fact without a drawer: null. */
  drawer_id: z.nullable(drawerId),
  day,
  /** Of a session, a diary entry or a fact. */
  source: z.string(),
  command: name,
  file: name,
  /** The first later success of the same command or file, and the files that were changed before it. */
  fix: z.nullable(z.strictObject({ drawer_id: drawerId, edits: z.array(z.string()) })),
});

export const patterns = {
  patterns: operation({
    name: 'patterns',
    summary: 'List what recurs across sessions: errors and their fixes',
    quotes: true,
    reads: true,
    inWing: 'patterns recur across the whole palace',
    input: () =>
      z.strictObject({
        kind: field(z.optional(kind), 'only this kind', { cli: '--kind <kind>', agents: '' }),
        file: field(z.optional(named()), 'only errors that concern this file, or were fixed by changing it', {
          cli: '--file <path>',
          agents: 'only errors about this file, or fixed in it',
          path: 'end',
        }),
        directory: field(z.optional(named()), 'only errors of sessions in this folder and below', {
          cli: '--project <folder>',
          tool: 'project',
          agents: 'only errors of sessions in this folder, absolute',
          path: 'whole',
        }),
        limit: limit(20, 'patterns to show', '', [10, 100]),
        offset: offset('patterns to skip', ''),
      }),
    output: () =>
      z.strictObject({
        total: count,
        /** Sessions that were not looked through yet. */
        unread: count,
        patterns: z.array(
          z.strictObject({
            kind,
            tool: name,
            /** The masked message, or what was written. */
            text: z.string(),
            count,
            occurrences: z.array(occurrence),
          }),
        ),
      }),
    async run(asked, { handle }) {
      const { patternsIn } = await import('../../knowledge/patterns/index.js');
      const palace = handle.get();
      const found = patternsIn(palace, { ...asked, occurrences: OCCURRENCES });
      return { ...found, unread: palace.activity.countUnderived() };
    },
    text(found, terminal) {
      if (!terminal.options.json) for (const note of notesOn(found)) terminal.note(note);
      if (found.total === 0 && terminal.options.quiet) return 'nothing found';
    },
    long({ patterns, total }, view, { offset }) {
      if (patterns.length === 0) return undefined;
      const dim = (text: string) => view.paint('dim', text);
      const rows = [dim(`what recurs (${NOTICE})`), ''];
      for (const { kind, tool, text, count, occurrences } of patterns) {
        const times = kind === 'error' || kind === 'fix' ? plural(count, 'session') : `${count} times`;
        rows.push(view.paint('bold', joined(kind, times)));
        const [first = '', ...more] = text.split('\n').slice(0, LINES);
        const lines = [tool ? `${tool}: ${first}` : first, ...more].map(
          (each) => ['cyan', line(each)] as const,
        );
        rows.push(...framedLines(lines, view));
        for (const each of occurrences) rows.push(...occurrenceRows(each, view));
        if (count > occurrences.length) rows.push(dim(`  … ${plural(count - occurrences.length, 'more')}`));
        rows.push('');
      }
      const rest = total - offset - patterns.length;
      if (rest > 0) rows.push(dim(`… ${rest} more: --offset ${offset + patterns.length}`), '');
      return rows.join('\n');
    },
    address: 'What recurs across sessions, most often first',
    tool: {
      name: 'mempalace_patterns',
      title: 'What recurs',
      description:
        'Errors that occurred in several sessions, with what fixed them, and decisions, preferences and architecture that were written down more than once; each with drawer_id. Use it when something fails.',
      tokens: 2_000,
      answer(found, tokens, { offset }) {
        const patterns = found.patterns.map(({ occurrences, ...pattern }) => ({
          ...told(pattern),
          occurrences: occurrences.slice(0, OCCURRENCES_TOLD).map(told),
        }));
        const page = { head: { total: found.total }, notes: notesOn(found), offset, tokens };
        return pageFor('patterns', patterns, page);
      },
    },
  }),
};

function notesOn({ total, unread }: { total: number; unread: number }): string[] {
  const none = total === 0 ? ['nothing recurs'] : [];
  if (unread === 0) return none;
  const sessions = plural(unread, 'session');
  return [...none, `${sessions} not looked through yet; the next run that files sessions does it`];
}

function occurrenceRows(
  { drawer_id, day, source, command, file, fix }: z.output<typeof occurrence>,
  view: View,
): string[] {
  const where = drawer_id === null ? line(source) : shownId(drawer_id, view);
  const fixed =
    fix && `fixed in ${shownId(fix.drawer_id, view)}: ${fix.edits.join(', ') || 'nothing changed before'}`;
  const lines = [command ?? file ?? '', fixed ?? ''].map((each) => [undefined, line(each)] as const);
  return [`  ${view.paint('dim', joined(where, day))}`, ...framedLines(lines, view, 2)];
}
