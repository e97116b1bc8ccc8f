import { UserError } from '../../core/errors.js';
import { renderClassList } from '../../feeders/docs/class-table.js';
import {
  createCommand,
  exclusiveFlag,
  type FlagsOf,
  repeatable,
  sizeOption,
  wingOption,
  withCommonOptions,
  withFilingOptions,
  withTimeLimit,
} from '../app/options.js';
import { action, type ProgramContext } from '../app/runner.js';

const examples = (name: string) => `
Examples:
  ${name} ~/my-project --dry-run   what would be filed
  ${name} ~/my-project             file it; later, only changes
  ${name} --all --quiet            every listed project, on a schedule`;

const declared = (name: string, typed: string) =>
  withTimeLimit(
    withFilingOptions(
      createCommand(name, 'File the documents of a project into the memory palace')
        .usage('[options] <dir> | --all')
        .argument('[dir]', 'a project folder, or a folder inside one')
        .addOption(
          exclusiveFlag(
            '--all',
            'every project listed in ~/.config/mempalace/projects (one folder per line)',
            'wing',
          ),
        )
        .addOption(
          wingOption(
            'the wing (default: from mempalace.yaml, else the current wing of the project, else wing_<folder>)',
          ),
        )
        .option('--include <pattern>', 'also include these, in .gitignore syntax (repeatable)', repeatable)
        .option(
          '--exclude <pattern>',
          'exclude these, even if another pattern includes them (repeatable)',
          repeatable,
        )
        .option('--no-gitignore', 'ignore .gitignore files (.mempalaceignore still applies)')
        .addOption(sizeOption('--max-file-size <size>', 'skip larger files (default: 2M)'))
        .addOption(
          // Only a complete run knows which documents are gone.
          exclusiveFlag(
            '--allow-removals',
            'remove deleted documents, even if they are most of the project',
            'include',
            'exclude',
            'gitignore',
            'maxFileSize',
          ),
        )
        .addOption(exclusiveFlag('--stage-only', 'stage to the cache; file nothing', 'dryRun'))
        .option('--dry-run', 'show what would be done; change nothing'),
    ),
  )
    .addHelpText('after', examples(typed))
    .addHelpText(
      'after',
      // As wide as the help texts of the manifest.
      () => `
${renderClassList(80)}`,
    );
export type DocsFlags = FlagsOf<ReturnType<typeof declared>>;

/** @param typed how the user names it */
const docsCommand = (name: string, typed = name) =>
  declared(name, typed).action(
    action(async (context: ProgramContext, flags: DocsFlags, dir: string | undefined) => {
      checkTarget(dir, flags, typed);
      if (dir === undefined) return (await import('../commands/docs/all.js')).runAllDocs(flags, context);
      const { feedDocs } = await import('../commands/docs/run.js');
      return (await feedDocs(dir, flags, context)).exitCode;
    }),
  );

export const docsProgram = () => withCommonOptions(docsCommand('mempalace-docs'));
/** The same as a command of `mempalace`. */
export const docs = () => docsCommand('docs', 'mempalace docs');

/** @throws UserError `usage` unless one folder or --all is given */
function checkTarget(dir: string | undefined, flags: DocsFlags, typed: string): void {
  if (dir === undefined && flags.all !== true) {
    throw new UserError('usage', 'a folder is missing', {
      hint: `${typed} <dir>, or ${typed} --all for every listed project`,
    });
  }
  if (dir !== undefined && flags.all === true) {
    throw new UserError('usage', '--all cannot be combined with a folder');
  }
}
