import {
  choiceOption,
  createCommand,
  repeatable,
  withFilingOptions,
  withTimeLimit,
} from '../../app/options.js';
import { lazily } from '../../app/runner.js';
import { MODES } from './modes.js';

const EXAMPLES = `
Examples:
  mempalace mine ~/my-project                       the documents of a project
  mempalace mine ~/.claude/projects --mode convos   transcripts
  mempalace mine ~/Downloads/export --mode convos   exported conversations
  mempalace mine ~/.cache/mempalace-docs            what --stage-only staged
  mempalace mine ./from-container --staged          what was staged elsewhere`;

export const mine = withTimeLimit(
  withFilingOptions(
    createCommand('mine', 'File a folder: a project, transcripts, or a staging folder')
      .argument('<dir>', 'a project, a folder of transcripts (--mode convos), or a staging folder')
      .addOption(choiceOption('--mode <mode>', 'what the folder holds; without it, as it looks', MODES))
      .option('--wing <name>', 'the wing')
      .option('--room <name>', 'the room of transcripts (--mode convos)')
      .option(
        '--staged',
        'the folder was staged elsewhere, such as in a container: believe its manifest; its text is redacted again',
      )
      .option('--limit <n>', 'file at most this many new or changed sources')
      .option('--include <pattern>', 'take these too, in .gitignore syntax (repeatable)', repeatable)
      .option('--exclude <pattern>', 'leave these out (repeatable)', repeatable)
      .option('--no-gitignore', "do not heed git's ignore rules")
      .option('--max-file-size <size>', 'leave out larger files')
      .option('--allow-removals', 'remove what is gone, even if it is most of the project')
      .option('--dry-run', 'say what would be done, touch nothing'),
  ),
)
  .addHelpText('after', EXAMPLES)
  .action(lazily(async () => (await import('./run.js')).runMine));
