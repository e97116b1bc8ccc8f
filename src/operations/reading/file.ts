/** What has to do with a file. */
import * as z from 'zod/mini';
import { line, NOTICE } from '../../core/outside.js';
import { plural } from '../../core/plural.js';
import { framedLines, framedPlace, joined, shownId, type View } from '../../terminal/labels.js';
import { sourceJson } from '../drawer-fields.js';
import { count, day, drawerId, field, limit, name, named, offset } from '../fields.js';
import { operation } from '../operation.js';
import { source, sourceFor } from '../source.js';
import { pageFor, told } from '../told.js';

/** Uses of a source that are told, at most, and those that agents are told. */
const USES = 10;
const USES_TOLD = 5;

const use = z.strictObject({
  action: z.enum(['read', 'written', 'edited', 'deleted', 'renamed', 'filed', 'mentioned']),
  /** Relative to the session's folder, if the file is below it. */
  path: z.string(),
  /** Of a renamed file: the former path. */
  former: name,
  drawer_id: drawerId,
  day,
  line_start: count,
});
/** `uses`: the latest first, changes before what is only read or mentioned. */
const using = z.extend(source, { day, uses: z.array(use), uses_total: count });
type Using = z.output<typeof using>;

export const file = {
  file: operation({
    name: 'file',
    summary: 'List what read, changed or spoke of a file, newest first',
    quotes: true,
    reads: true,
    inWing: 'the history of a file follows its names through all sessions',
    input: () =>
      z.strictObject({
        file: field(named(), 'the file', {
          cli: '<path>',
          agents: 'an absolute path, or its end, as src/auth.ts',
          path: 'end',
        }),
        limit: limit(20, 'sessions and documents to show', '', [10, 100]),
        offset: offset('sessions and documents to skip', ''),
        format: field(z._default(z.enum(['full', 'index']), 'full'), 'index: one line per hit', {
          cli: null,
          address: null,
        }),
      }),
    output: () =>
      z.strictObject({
        file: z.string(),
        /** Of the files with this end, and of those that they were renamed from; absolute. */
        paths: z.array(z.string()),
        total: count,
        /** Filed sessions whose files are not known yet. */
        unread: count,
        sources: z.array(using),
      }),
    async run({ file, limit, offset }, { handle }) {
      const { sourcesByFile } = await import('../../reading/by-file.js');
      const palace = handle.get();
      return palace.snapshot(() => {
        const { sources, ...found } = sourcesByFile(palace, file, { limit, offset });
        const shown = sources.map(({ source, day, uses }) => ({
          ...sourceJson(source, source.drawers),
          day,
          uses: changesFirst(uses).slice(0, USES),
          uses_total: uses.length,
        }));
        return { ...found, unread: palace.activity.countUnderived(), sources: shown };
      });
    },
    text(found, terminal) {
      if (!terminal.options.json) for (const note of notesOn(found)) terminal.note(note);
      if (found.total === 0 && terminal.options.quiet) return 'nothing found';
    },
    long({ sources, total }, view, { offset }) {
      if (sources.length === 0) return undefined;
      const dim = (text: string) => view.paint('dim', text);
      const rows = [dim(`sessions and documents (${NOTICE})`), ''];
      for (const { title, source_file, wing, room, day, origin, uses, uses_total } of sources) {
        const where = joined(line(`${wing} / ${room}`), day);
        const named = line(title ?? '') || line(source_file);
        rows.push(...framedPlace({ title: named, where, origin }, view));
        for (const each of uses) rows.push(...usedRows(each, view));
        const more = uses_total - uses.length;
        rows.push(...(more > 0 ? [dim(`  … ${plural(more, 'more passage')}`)] : []), '');
      }
      const rest = total - offset - sources.length;
      if (rest > 0) rows.push(dim(`… ${rest} more: --offset ${offset + sources.length}`), '');
      return rows.join('\n');
    },
    address: 'What read, changed or spoke of a file, newest first',
    tool: {
      name: 'mempalace_by_file',
      title: 'The history of a file',
      description:
        'Sessions and documents that read, changed or spoke of a file, newest first, each with what was done, the date and drawer_id. Use it before you change a file; then read on with mempalace_timeline.',
      core: true,
      tokens: 2_000,
      answer(found, tokens, { format, offset }) {
        const { file, total } = found;
        const sources = found.sources.map(({ uses, ...each }) => ({
          ...each,
          uses: uses.slice(0, USES_TOLD),
        }));
        const page = { head: { file, total }, notes: notesOn(found), offset, tokens };
        return format === 'index'
          ? pageFor('index', sources.map(lineOf), page)
          : pageFor('sources', sources.map(usingFor), page);
      },
    },
  }),
};

/** Changes are in short supply: the others say where somebody looked. */
function changesFirst<Use extends { action: string }>(uses: readonly Use[]): Use[] {
  const isOther = ({ action }: Use) => action === 'read' || action === 'mentioned';
  return [...uses.filter((use) => !isOther(use)), ...uses.filter(isOther)];
}

function notesOn({ file, total, unread }: { file: string; total: number; unread: number }): string[] {
  const none = total === 0 ? [`nothing filed read, changed or spoke of ${JSON.stringify(file)}`] : [];
  if (unread === 0) return none;
  const sessions = plural(unread, 'session');
  return [...none, `the files of ${sessions} are not known yet; the next run that files sessions finds them`];
}

function usedRows(
  { action, path, former, drawer_id, day, line_start }: z.output<typeof use>,
  view: View,
): string[] {
  const what = line(`${action} ${former === null ? '' : `${former} → `}${path}`);
  return [
    `  ${view.paint('dim', joined(shownId(drawer_id, view), day, `line ${line_start}`))}`,
    ...framedLines([[undefined, what]], view, 2),
  ];
}

function usingFor({ uses, uses_total, ...shown }: Using) {
  const more = uses_total > uses.length ? { uses_total } : {};
  return { ...sourceFor(shown), uses: uses.map(told), ...more };
}

/** The drawer of its newest use, day, what was done, and title. */
function lineOf({ uses, day, title, source_file }: Using): string {
  const actions = [...new Set(uses.map(({ action }) => action))].join(', ');
  return `${uses[0]?.drawer_id ?? ''} ${day} ${actions} | ${line(title || source_file)}`;
}
