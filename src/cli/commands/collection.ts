import { resolve } from 'node:path';
import { commandOf } from '../../adapters/cli.js';
import { EXPORT_FORMATS, type ExportFormat } from '../../operations/collections/export-formats.js';
import { collections } from '../../operations/collections/index.js';
import { collectionShow, textOf } from '../../operations/collections/members.js';
import { ask } from '../../operations/operation.js';
import { plural } from '../../terminal/durations.js';
import { jsonText, line } from '../../terminal/terminal.js';
import { writeNewFile } from '../app/new-file.js';
import { withService } from '../app/open-service.js';
import { type CommonFlags, choiceOption, createCommand } from '../app/options.js';
import { action, type CommandContext } from '../app/runner.js';

const HELP = `
Without a command, collection lists the collections.

A collection is a stored search with drawers that you added or excluded. What
belongs to it is found each time, so it never goes stale: an added drawer stays
in it when its text is edited, and leaves it when it is forgotten. Without
--query it contains the newest drawers that the filters allow. No drawer that it
finds contains -"quoted words" of its query.

Examples:
  mempalace collection add money --query "how is money rounded" --wing wing_shop
  mempalace collection add money drawer_0123456789ab   this one, too
  mempalace collection query money "who decided it"    search in it
  mempalace collection export money --format md --to money.md`;

export const command = createCommand('collection', 'Collections: stored searches with chosen drawers')
  .addCommand(commandOf(collections.collectionAdd))
  .addCommand(commandOf(collections.collectionExclude))
  .addCommand(commandOf(collections.collectionRemove))
  .addCommand(commandOf(collections.collectionList), { isDefault: true })
  .addCommand(commandOf(collections.collectionShow))
  .addCommand(commandOf(collections.collectionQuery))
  .addCommand(
    createCommand('export', 'Write what belongs to a collection now, whole texts')
      .argument('<name>', 'the collection')
      .addOption(choiceOption('--format <format>', 'the form', EXPORT_FORMATS).default('md'))
      .option('--to <file>', 'write to this new file instead of stdout')
      .option('--cold', 'also from cold wings and rooms (see `mempalace config`)')
      .action(action(exportOne)),
  )
  .addCommand(commandOf(collections.collectionDrop))
  .addHelpText('after', HELP);

interface ExportFlags extends CommonFlags {
  cold?: boolean;
  format: ExportFormat;
  to?: string;
}

function exportOne(context: CommandContext, flags: ExportFlags, name: string): Promise<void> {
  const { terminal, config } = context;
  const { format } = flags;
  const to = flags.to === undefined ? undefined : resolve(flags.to);
  return withService(context, async (service, call) => {
    const asked = { name, cold: flags.cold, cold_places: config.search.cold };
    const members = await ask(service, collectionShow, asked, call);
    for (const note of members.notes ?? []) terminal.warn(line(note));
    const isJson = format === 'json' || (to === undefined && terminal.options.json);
    const text = isJson ? `${jsonText(members)}\n` : textOf(members, format as Exclude<ExportFormat, 'json'>);
    if (to === undefined) {
      terminal.io.stdout.write(text);
      return;
    }
    writeNewFile(to, text);
    const drawers = members.drawers.length;
    terminal.json({ command: 'mempalace collection', to, format, drawers });
    terminal.say(`${plural(drawers, 'drawer')} written to ${line(to)}`);
  });
}
