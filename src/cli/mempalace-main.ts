import { type MineFlags, MODES } from './mine-modes.js';
import { type CommonFlags, createCommand, perform, runProgram, withFilingOptions } from './program.js';
import { DEFAULT_LIMIT, type SearchFlags } from './search.js';

const TRY = `
Try:
  mempalace-docs ~/my-project             file the documents of a project
  mempalace-session                       file the sessions of opencode
  mempalace search "why do we round up"   find the passage again
  mempalace status                        see what the palace holds`;

const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

const mine = withFilingOptions(
  createCommand('mine', 'File a folder: a project, transcripts, or a staging folder'),
)
  .argument('<dir>', 'a project, a folder of transcripts (--mode convos), or a staging folder')
  .option('--mode <mode>', `${MODES.join(', ')} (default: what the folder is)`)
  .option('--wing <name>', 'the wing')
  .option('--room <name>', 'the room of transcripts (--mode convos)')
  .option('--limit <n>', 'file at most so many new or changed sources')
  .option('--include <pattern>', 'take these too, in .gitignore syntax (repeatable)', collect)
  .option('--exclude <pattern>', 'leave these out (repeatable)', collect)
  .option('--no-gitignore', "do not heed git's ignore rules")
  .option('--max-file-size <size>', 'leave out larger files')
  .option('--allow-removals', 'remove what is gone, even if it is most of the project')
  .option('--dry-run', 'say what would be done, touch nothing')
  .action((dir: string, flags: MineFlags) =>
    perform(flags, async (session) => (await import('./mine.js')).runMine(dir, flags, session)),
  );

const search = createCommand('search', 'Find passages by words and by meaning')
  .argument('<question...>', 'what to look for')
  .option('--wing <name>', 'only in this wing')
  .option('--room <name>', 'only in this room')
  .option('--limit <n>', 'hits to show', DEFAULT_LIMIT)
  .action((words: string[], flags: SearchFlags) =>
    perform(flags, async (session) => (await import('./search.js')).runSearch(words, flags, session)),
  );

const status = createCommand('status', 'Show what the palace holds and what the last runs did').action(
  (flags: CommonFlags) =>
    perform(flags, async (session) => (await import('./status.js')).runStatus(flags, session)),
);

const program = createCommand(
  'mempalace',
  'The memory palace: files documents and sessions, and finds them again.',
)
  .usage('[options] <command>')
  .helpCommand('help [command]', 'print the help of a command')
  .addHelpText('after', TRY)
  .addCommand(mine)
  .addCommand(search)
  .addCommand(status);

await runProgram(program, process.argv.slice(2));
