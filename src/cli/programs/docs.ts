import { UserError } from '../../core/errors.js';
import { renderClassList } from '../../feeders/docs/class-table.js';
import {
  createCommand,
  repeatable,
  withCommonOptions,
  withFilingOptions,
  withTimeLimit,
} from '../app/options.js';
import { perform } from '../app/runner.js';
import { DEFAULT_MAX_FILE_SIZE, type DocsFlags, docsConfig } from '../commands/docs/config.js';

const EXAMPLES = `
Examples:
  mempalace-docs ~/my-project --dry-run   what would be filed
  mempalace-docs ~/my-project             file it; later on, what has changed
  mempalace-docs --all --quiet            for a schedule: all that are listed`;

/** `mempalace-docs`, declared and not yet run. */
export const program = withCommonOptions(
  withTimeLimit(
    withFilingOptions(
      createCommand('mempalace-docs', 'File the documents of a project into the memory palace')
        .usage('[options] <dir> | --all')
        .argument('[dir]', 'a project folder, or a folder in one')
        .option('--all', 'every project listed in ~/.config/mempalace/projects (one folder a line)')
        .option(
          '--wing <name>',
          'the wing (default: mempalace.yaml, the wing that holds the project, wing_<folder>)',
        )
        .option('--include <pattern>', 'take these too, in .gitignore syntax (repeatable)', repeatable)
        .option(
          '--exclude <pattern>',
          'exclude these, also where another pattern includes them (repeatable)',
          repeatable,
        )
        .option('--no-gitignore', "do not heed git's ignore rules (.mempalaceignore still counts)")
        .option('--max-file-size <size>', `leave out larger files (default: ${DEFAULT_MAX_FILE_SIZE})`)
        .option('--allow-removals', 'remove what is gone, even if it is most of the project')
        .option('--stage-only', 'stage to the cache, file nothing')
        .option('--dry-run', 'say what would be done, touch nothing'),
    ),
  )
    .addHelpText('after', EXAMPLES)
    .addHelpText(
      'after',
      ({ command }) => `
${renderClassList(Math.min(command.configureOutput().getOutHelpWidth?.() ?? 80, 100))}`,
    )
    .action((dir: string | undefined, flags: DocsFlags) =>
      perform(flags, async (context) => {
        checkTarget(dir, flags);
        if (dir === undefined) {
          const { runAllDocs } = await import('../commands/docs/all.js');
          return runAllDocs(flags, context);
        }
        const config = docsConfig('mempalace-docs', dir, flags);
        const { runDocs } = await import('../commands/docs/run.js');
        return runDocs(config, context);
      }),
    ),
);

/** @throws UserError `usage` unless it is one folder or all of the list */
function checkTarget(dir: string | undefined, flags: DocsFlags): void {
  if (dir === undefined && flags.all !== true) {
    throw new UserError('usage', 'a folder is missing', {
      hint: 'mempalace-docs <dir>, or mempalace-docs --all for every project that is listed',
    });
  }
  if (dir !== undefined && flags.all === true) {
    throw new UserError('usage', '--all cannot be combined with a folder');
  }
  if (flags.all === true && flags.wing !== undefined) {
    throw new UserError('usage', '--wing is for one project: with --all each keeps its own');
  }
}
