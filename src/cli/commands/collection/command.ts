import type { Command } from 'commander';
import { EXPORT_FORMATS } from '../../../presentation/export-formats.js';
import { withFilterOptions } from '../../app/filter-options.js';
import { choiceOption, countOption, createCommand, repeatable, shareOption } from '../../app/options.js';
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

function named(name: string, description: string): Command {
  return createCommand(name, description).argument('<name>', 'the collection');
}

const cold = '--cold';
const COLD = 'also from cold wings and rooms (see `mempalace config`)';
const NO_PAGER = ['--no-pager', 'do not use a pager'] as const;

export const collection = createCommand('collection', 'Collections: stored searches with chosen drawers')
  .addCommand(
    withFilterOptions(
      named('add', 'Make or change a collection, or add drawers to it')
        .argument('[id...]', 'drawers that belong to it whatever its search finds')
        .option('--query <question>', 'its search; an empty one removes it'),
    )
      .addOption(countOption('--limit <n>', 'drawers that its search finds, up to 1000 (default: 100)', 1))
      .addOption(shareOption('--min-score <x>', 'skip found drawers with a lower score, 0 to 1'))
      .action(lazily(async () => (await import('./write.js')).add)),
  )
  .addCommand(
    named('exclude', 'Exclude drawers from a collection')
      .argument('<id...>', 'drawers that never belong to it')
      .action(lazily(async () => (await import('./write.js')).exclude)),
  )
  .addCommand(
    named('remove', 'Undo that drawers were added or excluded')
      .argument('<id...>', 'the drawers')
      .action(lazily(async () => (await import('./write.js')).remove)),
  )
  .addCommand(
    createCommand('list', 'List the collections').action(
      lazily(async () => (await import('./read.js')).list),
    ),
  )
  .addCommand(
    named('show', 'Show a collection and what belongs to it now')
      .option(cold, COLD)
      .option(...NO_PAGER)
      .action(lazily(async () => (await import('./read.js')).show)),
  )
  .addCommand(
    named('query', 'Search in a collection')
      .argument('<question...>', 'what to look for')
      .addOption(countOption('--limit <n>', 'hits to show (default: 5)', 1))
      .addOption(countOption('--offset <n>', 'hits to skip', 0))
      .option('--not <words>', 'skip passages with these words, in this order (repeatable)', repeatable)
      .option(cold, COLD)
      .option('--explain', 'show how each score is computed')
      .option(...NO_PAGER)
      .action(lazily(async () => (await import('./query.js')).query)),
  )
  .addCommand(
    named('export', 'Write what belongs to a collection now, whole texts')
      .addOption(choiceOption('--format <format>', 'the form', EXPORT_FORMATS).default('md'))
      .option('--to <file>', 'write to this new file instead of stdout')
      .option(cold, COLD)
      .action(lazily(async () => (await import('./read.js')).exportOne)),
  )
  .addCommand(
    named('drop', 'Delete a collection; its drawers stay in the palace').action(
      lazily(async () => (await import('./write.js')).drop),
    ),
  )
  .addHelpText('after', HELP);
