import { renderClassList } from '../feeders/docs/class-table.js';
import { DEFAULT_MAX_FILE_SIZE, type DocsFlags, docsConfig } from './docs-config.js';
import { createCommand, perform, runProgram, withFilingOptions } from './program.js';

const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

const program = withFilingOptions(
  createCommand('mempalace-docs', 'Files the documents of a project into the memory palace.'),
)
  .argument('<dir>', 'a project folder, or a folder in one')
  .option(
    '--wing <name>',
    'the wing (default: mempalace.yaml, the wing that holds the project, wing_<folder>)',
  )
  .option('--include <pattern>', 'take these too, in .gitignore syntax (repeatable)', collect)
  .option('--exclude <pattern>', 'leave these out, whatever else takes them (repeatable)', collect)
  .option('--no-gitignore', "do not heed git's ignore rules (.mempalaceignore still counts)")
  .option('--max-file-size <size>', `leave out larger files (default: ${DEFAULT_MAX_FILE_SIZE})`)
  .option('--allow-removals', 'remove what is gone, even if it is most of the project')
  .option('--stage-only', 'stage to the cache, file nothing')
  .option('--dry-run', 'say what would be done, touch nothing')
  .addHelpText(
    'after',
    () => `
${renderClassList(Math.min(process.stdout.columns ?? 80, 100))}`,
  )
  .action((dir: string, flags: DocsFlags) =>
    perform(flags, async (session) => {
      const config = docsConfig('mempalace-docs', dir, flags);
      const { runDocs } = await import('./docs.js');
      return runDocs(config, session);
    }),
  );

await runProgram(program, process.argv.slice(2));
