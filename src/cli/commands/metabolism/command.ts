import { commandOf } from '../../../adapters/cli.js';
import { OUTPUTS } from '../../../core/metabolism.js';
import { metabolisms } from '../../../operations/metabolism.js';
import { choiceOption } from '../../app/options.js';

const HELP = `
Without --apply and --interactive it only reports. Nothing is ever deleted:
  reflect       often found or opened: a draft in reflection_wing/, as one of
                five types (--as); for a person or an agent to write
  constitution  often used in the reflection wing: pinned, so that wake-up
                tells it first
  archive       a document of a palace of files, old, of no high priority, never
                used: moved into archive_basement/
  cold          a room of such sources: added to search.cold of the settings
Uses are counted beside the palace (the setting \`uses\`). docs/file-palace.md

Examples:
  mempalace metabolism
  mempalace metabolism --apply reflect-1f0c8a2e --as prompt-kernel
  mempalace metabolism --interactive`;

export const metabolism = commandOf(metabolisms.metabolism, async () => (await import('./run.js')).doSteps)
  .option('--apply <id>', 'do what this proposal says')
  .addOption(choiceOption('--as <type>', 'type of the draft', OUTPUTS))
  .option('--into <dir>', 'the palace of files for the draft')
  .option('--interactive', 'ask for each proposal')
  .addHelpText('after', HELP);
