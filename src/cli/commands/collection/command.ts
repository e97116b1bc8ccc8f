import { commandOf } from '../../../adapters/cli.js';
import { collections } from '../../../operations/collections/index.js';
import { EXPORT_FORMATS } from '../../../presentation/export-formats.js';
import { choiceOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
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

export const collection = createCommand('collection', 'Collections: stored searches with chosen drawers')
  .addCommand(commandOf(collections.collectionAdd))
  .addCommand(commandOf(collections.collectionExclude))
  .addCommand(commandOf(collections.collectionRemove))
  .addCommand(commandOf(collections.collectionList))
  .addCommand(commandOf(collections.collectionShow))
  .addCommand(commandOf(collections.collectionQuery))
  .addCommand(
    createCommand('export', 'Write what belongs to a collection now, whole texts')
      .argument('<name>', 'the collection')
      .addOption(choiceOption('--format <format>', 'the form', EXPORT_FORMATS).default('md'))
      .option('--to <file>', 'write to this new file instead of stdout')
      .option('--cold', 'also from cold wings and rooms (see `mempalace config`)')
      .action(lazily(async () => (await import('./export.js')).exportOne)),
  )
  .addCommand(commandOf(collections.collectionDrop))
  .addHelpText('after', HELP);
