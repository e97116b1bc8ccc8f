import {
  choiceOption,
  countOption,
  createCommand,
  exclusiveFlag,
  type FlagsOf,
  repeatable,
  sizeOption,
  wingOption,
  withFilingOptions,
  withTimeLimit,
} from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const EXAMPLES = `
Examples:
  mempalace mine ~/my-project                       the documents of a project
  mempalace mine ~/.claude/projects --mode convos   transcripts
  mempalace mine ~/Downloads/export --mode convos   exported conversations
  mempalace mine ~/.cache/mempalace-docs            the result of --stage-only
  mempalace mine ./from-container --staged          a folder staged elsewhere`;

export const mine = withTimeLimit(
  withFilingOptions(
    createCommand('mine', 'File a folder: a project, transcripts, or a staging folder')
      .argument('<dir>', 'a project, a folder or a file of transcripts (--mode convos), or a staging folder')
      .addOption(
        choiceOption('--mode <mode>', 'kind of folder; recognized if omitted', [
          'docs',
          'projects',
          'convos',
        ]),
      )
      .addOption(wingOption('the wing'))
      .option('--room <name>', 'the room of transcripts (--mode convos)')
      .addOption(
        exclusiveFlag(
          '--staged',
          'the folder was staged elsewhere, such as in a container: trust its manifest; its text is redacted again',
          'mode',
          'wing',
          'room',
        ),
      )
      .addOption(countOption('--limit <n>', 'file at most this many new or changed sources', 1))
      .option('--include <pattern>', 'also file these, in .gitignore syntax (repeatable)', repeatable)
      .option('--exclude <pattern>', 'omit these (repeatable)', repeatable)
      .option('--no-gitignore', "disregard git's ignore rules")
      .addOption(sizeOption('--max-file-size <size>', 'omit larger files'))
      .option('--allow-removals', 'remove missing documents, even if they are most of the project')
      .option('--dry-run', 'show the result without any change'),
  ),
).addHelpText('after', EXAMPLES);
export type MineFlags = FlagsOf<typeof mine>;
mine.action(lazily(async () => (await import('./run.js')).runMine));
