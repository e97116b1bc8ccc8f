import { GROUPINGS, RANKINGS } from '../../../search/options.js';
import { choiceOption, countOption, createCommand, shareOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const SYNTAX = `
A question is plain words. A hit contains "quoted words" exactly, and does not
contain -word. A question that starts with a dash comes after --.

Examples:
  mempalace search why do we round up           in your own words
  mempalace search '"SameSite" cookie -login'   exactly this, and not that
  mempalace search proxy port --since 2w        of the last two weeks`;

export const search = createCommand('search', 'Find passages by words and by meaning')
  .argument('[question...]', 'what to look for')
  .optionsGroup('Where:')
  .option('--wing <name>', 'only in this wing')
  .option('--room <name>', 'only in this room')
  .option('--since <when>', 'not older than: a date, 3d, 2w, 6mo, or words such as "last friday"')
  .option('--until <when>', 'not newer')
  .option('--source <glob>', 'only sources whose path fits, such as "docs/*.md"')
  .option('--session <id>', 'only this session')
  .option('--directory <folder>', 'only what was made in this folder or below')
  .option('--cold', 'in cold wings and rooms too (see `mempalace config`)')
  .optionsGroup('Which and how:')
  .addOption(countOption('--limit <n>', 'hits to show (default: 5)', 1))
  .addOption(countOption('--offset <n>', 'hits to skip', 0))
  .addOption(shareOption('--min-score <x>', 'leave out hits that score less, 0 to 1'))
  .addOption(choiceOption('--rank <how>', 'how hits are ordered, by default by relevance', RANKINGS))
  .addOption(
    choiceOption('--by <what>', 'what a hit is; auto, the default: conversations by source', GROUPINGS),
  )
  .addOption(
    choiceOption('--format <format>', 'whole passages, the default, or one line a hit', ['full', 'index']),
  )
  .option('--links', 'name the documents, too, that those of hits lead to with [[links]]')
  .option('--explain', 'show what each score is made of')
  .option('--batch', 'one question a line on stdin, one JSON document a line on stdout')
  .option('--no-pager', 'print it all at once; else $PAGER shows what is longer than the screen')
  .addHelpText('after', SYNTAX)
  .action(lazily(async () => (await import('./run.js')).runSearch));
