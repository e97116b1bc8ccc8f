import { Option } from 'commander';
import { GROUPINGS, RANKINGS } from '../../../search/options.js';
import { withFilterOptions } from '../../app/filter-options.js';
import { choiceOption, countOption, createCommand, repeatable, shareOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

/** `auto`, the default of earlier versions, means `source`. */
function groupingOption(): Option {
  const option = choiceOption('--by <what>', 'one hit per source, the default, or per drawer', GROUPINGS);
  const { parseArg } = option;
  return option.argParser((text, previous) => parseArg?.(text === 'auto' ? 'source' : text, previous));
}

const SYNTAX = `
A query is plain words, and so is a command in it, such as git commit -m: put it
in quotation marks of the shell, or after --. Every hit contains "quoted words"
exactly. If no passage contains them exactly, a note says so, and the hits match
them as plain words. No hit contains -"quoted words", or the words of --not.
A time, such as "last week" or "in March 2023", prefers text of that time.

In a filed project, its documents and sessions are preferred, unless the search
is limited to a wing, room, source, session, directory or file.

Examples:
  mempalace search why do we round up         in your own words
  mempalace search '"SameSite"' --not login   exact words, without another
  mempalace search proxy port --since 2w      from the last two weeks`;

export const search = withFilterOptions(
  createCommand('search', 'Find passages by words and by meaning')
    .argument('[question...]', 'what to look for')
    .optionsGroup('Where:'),
)
  .addOption(new Option('--here', 'only the project of the working folder').conflicts('everywhere'))
  .option('--everywhere', 'do not prefer the project of the working folder')
  .option('--cold', 'also in cold wings and rooms (see `mempalace config`)')
  .optionsGroup('Which and how:')
  .addOption(countOption('--limit <n>', 'hits to show (default: 5)', 1))
  .addOption(countOption('--offset <n>', 'hits to skip', 0))
  .option('--not <words>', 'skip passages with these words, in this order (repeatable)', repeatable)
  .addOption(shareOption('--min-score <x>', 'skip hits with a lower score, 0 to 1'))
  .addOption(choiceOption('--rank <how>', 'order of hits (default: by relevance)', RANKINGS))
  .addOption(groupingOption())
  .addOption(
    choiceOption('--format <format>', 'whole passages, the default, or one line per hit', ['full', 'index']),
  )
  .option('--links', 'also list documents that the hits refer to with [[links]]')
  .option('--explain', 'show how each score is computed')
  .addOption(new Option('--details', 'the same').hideHelp().implies({ explain: true }))
  .addOption(new Option('--raw', '--rank semantic').hideHelp().implies({ rank: 'semantic' }))
  .option('--batch', 'one query per line on stdin, one JSON document per line on stdout')
  .option('--no-pager', 'do not use $PAGER for output longer than the screen')
  .addHelpText('after', SYNTAX)
  .action(lazily(async () => (await import('./run.js')).runSearch));
