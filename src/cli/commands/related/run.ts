import { resolve } from 'node:path';
import { NOTICE } from '../../../core/outside.js';
import { relatedDocument } from '../../../presentation/related.js';
import type { Connections } from '../../../service/contract/index.js';
import { framedLines, type View, viewOf } from '../../../terminal/labels.js';
import { printLong } from '../../../terminal/pager.js';
import { line } from '../../../terminal/terminal.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

export interface RelatedFlags extends CommonFlags {
  pager: boolean;
}

export async function runRelated(context: CommandContext, flags: RelatedFlags, what: string): Promise<void> {
  const { terminal, folders } = context;
  return withService(context, async (service, call) => {
    const found = await service.related({ name: what, paths: [resolve(what)] }, call);
    terminal.json(relatedDocument(found));
    if (terminal.options.json) return;
    const { linksTo, linkedFrom, tree } = found;
    if (linksTo.length + linkedFrom.length + tree.length === 0) {
      const { source } = found;
      terminal.note(source.kind === 'document' ? 'it has no links' : 'it has no sub-agents and no forks');
      return;
    }
    await printLong(terminal, flags.pager, [renderRelated(found, viewOf(terminal, folders.home))]);
  });
}

/** Ends in a line feed. */
export function renderRelated({ source, linksTo, linkedFrom, tree }: Connections, view: View): string {
  const { paint } = view;
  const rows = [paint('dim', `links and sessions (${NOTICE})`)];
  const section = (title: string, found: Connections['linksTo']): void => {
    if (found.length === 0) return;
    rows.push('', paint('bold', title));
    for (const each of found) {
      rows.push(`  ${paint('dim', `line ${each.line}`)}`);
      rows.push(...framed(each, view, 2));
    }
  };
  section('links to', linksTo);
  section('linked from', linkedFrom);
  if (tree.length > 0) rows.push('', paint('bold', 'sessions'));
  const depths = new Map<string, number>();
  for (const each of tree) {
    const depth = each.of === null ? 1 : (depths.get(each.of) ?? 0) + 1;
    depths.set(each.sourceKey, depth);
    const mark = each.sourceKey === source.sourceKey ? '▶ ' : '';
    rows.push(`${'  '.repeat(depth)}${paint('dim', `${mark}${each.relation ?? 'session'}`)}`);
    rows.push(...framed(each, view, depth * 2));
  }
  return `${rows.join('\n')}\n`;
}

function framed(
  { title, sourceFile }: Pick<Connections['source'], 'title' | 'sourceFile'>,
  view: View,
  indent: number,
): string[] {
  return framedLines(
    [
      [undefined, line(title ?? '')],
      ['dim', line(sourceFile)],
    ],
    view,
    indent,
  );
}
