/** What a document or a session is connected with. */
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { UserError } from '../../core/errors.js';
import { line, NOTICE } from '../../core/outside.js';
import { framedLines, type View } from '../../terminal/labels.js';
import { sourceJson } from '../drawer-fields.js';
import { count, field, folders, name, named } from '../fields.js';
import { operation } from '../operation.js';
import { source } from '../source.js';

/** A document at the other end of a link. `link`: as it is written, on a line of the document that links. */
const connected = z.extend(source, { link: z.string(), line: count });

export const related = {
  related: operation({
    name: 'related',
    summary: 'Show the links of a document, or the sub-agents and forks of a session',
    quotes: true,
    reads: true,
    inWing: 'links and forks lead to other wings',
    input: () =>
      z.strictObject({
        name: field(named(), 'a session id, or a source_file (or the end of it)', {
          cli: '<what>',
          hits: true,
        }),
        folders: folders(),
      }),
    output: () =>
      z.strictObject({
        source,
        links_to: z.array(connected),
        linked_from: z.array(connected),
        /** From the session that all came from, each below what it came from. */
        tree: z.array(
          z.extend(source, {
            /** Null for the first. */
            relation: z.nullable(z.enum(['sub-agent', 'fork'])),
            /** Key of the session that it came from. */
            of: name,
          }),
        ),
      }),
    async run({ name, folders }, { handle }) {
      const [{ findTarget }, { linksOf, treeOf }] = await Promise.all([
        import('../../reading/find.js'),
        import('../../search/connections.js'),
      ]);
      const palace = handle.get();
      return palace.snapshot(() => {
        const paths = folders.map((folder) => resolve(folder, name));
        const found = findTarget(palace, name, paths);
        const own = found.kind === 'source' ? found.source : palace.sources.byKey(found.drawer.sourceKey);
        if (own === undefined) throw new UserError('not-found', `the palace has no source ${name}`);
        const { to, from } = linksOf(palace, own);
        const whole = (each: typeof own) => sourceJson(each, each.drawers);
        return {
          source: whole(own),
          links_to: to.map(({ source, link, line }) => ({ ...whole(source), link, line })),
          linked_from: from.map(({ source, link, line }) => ({ ...whole(source), link, line })),
          tree: treeOf(palace, own).map(({ source, relation, ofKey: of }) => ({
            ...whole(source),
            relation,
            of,
          })),
        };
      });
    },
    text({ source, ...found }, terminal) {
      if (terminal.options.json || !isAlone(found)) return;
      terminal.note(source.kind === 'document' ? 'it has no links' : 'it has no sub-agents and no forks');
    },
    long({ source, links_to, linked_from, tree }, view) {
      if (isAlone({ links_to, linked_from, tree })) return undefined;
      const { paint } = view;
      const rows = [paint('dim', `links and sessions (${NOTICE})`)];
      for (const [title, links] of Object.entries({ 'links to': links_to, 'linked from': linked_from })) {
        if (links.length > 0) rows.push('', paint('bold', title));
        for (const each of links)
          rows.push(`  ${paint('dim', `line ${each.line}`)}`, ...namedRows(each, view, 2));
      }
      if (tree.length > 0) rows.push('', paint('bold', 'sessions'));
      const depths = new Map<string, number>();
      for (const each of tree) {
        const depth = each.of === null ? 1 : (depths.get(each.of) ?? 0) + 1;
        depths.set(each.source_key, depth);
        const mark = each.source_key === source.source_key ? '▶ ' : '';
        rows.push(`${'  '.repeat(depth)}${paint('dim', `${mark}${each.relation ?? 'session'}`)}`);
        rows.push(...namedRows(each, view, depth * 2));
      }
      return `${rows.join('\n')}\n`;
    },
    address: 'The links of a document, or the sub-agents and forks of a session',
  }),
};

type Found = Record<'links_to' | 'linked_from' | 'tree', readonly unknown[]>;

const isAlone = ({ links_to, linked_from, tree }: Found): boolean =>
  links_to.length + linked_from.length + tree.length === 0;

function namedRows({ title, source_file }: z.output<typeof source>, view: View, indent: number): string[] {
  const lines = [
    [undefined, line(title ?? '')],
    ['dim', line(source_file)],
  ] as const;
  return framedLines(lines, view, indent);
}
