import { resolve } from 'node:path';
import { BAR, NOTICE } from '../../../core/outside.js';
import {
  type Collection,
  collectionsDocument,
  collectionText,
  membersJson,
  searchOf,
} from '../../../presentation/collections.js';
import type { ExportFormat } from '../../../presentation/export-formats.js';
import { wordsAlone } from '../../../presentation/nothing-found.js';
import type { Output } from '../../../service/contract/index.js';
import { plural } from '../../../terminal/durations.js';
import { shownId, titleOf, type View, viewOf } from '../../../terminal/labels.js';
import { printLong } from '../../../terminal/pager.js';
import { type Column, renderTable } from '../../../terminal/table.js';
import { jsonText, line, type Terminal } from '../../../terminal/terminal.js';
import { writeNewFile } from '../../app/new-file.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { whichOf } from './config.js';

interface ReadFlags extends CommonFlags {
  cold?: boolean;
}

type Members = Output<'collectionDrawers'>;

const COLUMNS: Column[] = [{ style: 'cyan', share: 0.3 }, {}, { share: 0.6 }];

/** `mempalace collection list`. */
export function list(context: CommandContext): Promise<void> {
  const { terminal } = context;
  return withService(context, async (service, call) => {
    const found = await service.collections({}, call);
    terminal.json(collectionsDocument(found));
    const { collections } = found;
    if (terminal.options.json) return;
    if (collections.length === 0) terminal.note('no collections; mempalace collection add makes one');
    const rows = collections.map((each) => [BAR + line(each.name), marksOf(each), searchOf(each)]);
    for (const row of renderTable(rows, COLUMNS, viewOf(terminal, ''))) terminal.data(row);
  });
}

function marksOf({ added, excluded }: Collection): string {
  return [added > 0 ? `${added} added` : '', excluded > 0 ? `${excluded} excluded` : '']
    .filter((part) => part !== '')
    .join(', ');
}

/** `mempalace collection show`. */
export function show(
  context: CommandContext,
  flags: ReadFlags & { pager: boolean },
  name: string,
): Promise<void> {
  const { terminal, folders } = context;
  return withService(context, async (service, call) => {
    const members = await service.collectionDrawers(whichOf(name, flags, context.config.search), call);
    warn(members, terminal);
    terminal.json(membersJson(members));
    if (terminal.options.json) return;
    const { collection, drawers } = members;
    terminal.note(
      [line(collection.name), searchOf(collection), plural(drawers.length, 'drawer'), marksOf(collection)]
        .filter((part) => part !== '')
        .join(', '),
    );
    if (drawers.length > 0)
      await printLong(terminal, flags.pager, [rendered(members, viewOf(terminal, folders.home))]);
  });
}

function rendered({ drawers }: Members, view: View): string {
  const rows = drawers.map(({ drawer, isAdded, score }) => [
    shownId(drawer.drawerId, view),
    drawer.contentDate ?? drawer.day,
    isAdded ? 'added' : (score?.toFixed(2) ?? ''),
    BAR + line(`${drawer.wing}/${drawer.room}`),
    titleOf(drawer),
  ]);
  const columns: Column[] = [{ style: 'dim' }, {}, {}, { style: 'cyan', share: 0.3 }, { style: 'bold' }];
  const head = view.paint('dim', `drawers (${NOTICE})`);
  return [head, ...renderTable(rows, columns, view)].map((row) => `${row}\n`).join('');
}

/** `mempalace collection export`. */
export function exportOne(
  context: CommandContext,
  flags: ReadFlags & { format: ExportFormat; to?: string },
  name: string,
): Promise<void> {
  const { terminal } = context;
  const { format } = flags;
  const to = flags.to === undefined ? undefined : resolve(flags.to);
  return withService(context, async (service, call) => {
    const members = await service.collectionDrawers(whichOf(name, flags, context.config.search), call);
    warn(members, terminal);
    const isJson = format === 'json';
    const text = isJson ? `${jsonText(membersJson(members))}\n` : collectionText(members, format);
    if (to === undefined) {
      if (terminal.options.json || isJson) terminal.io.stdout.write(`${jsonText(membersJson(members))}\n`);
      else terminal.io.stdout.write(text);
      return;
    }
    writeNewFile(to, text);
    const drawers = members.drawers.length;
    terminal.json({ command: 'mempalace collection', to, format, drawers });
    terminal.say(`${plural(drawers, 'drawer')} written to ${line(to)}`);
  });
}

function warn(members: Members, terminal: Terminal): void {
  for (const trouble of wordsAlone(members, true)) terminal.warn(line(trouble));
}
