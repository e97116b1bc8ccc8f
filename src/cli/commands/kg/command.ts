import type { Command } from 'commander';
import { choiceOption, countOption, createCommand, shareOption, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
A moment is a day (2026-03-01, meaning its first second), a second in UTC
(2026-03-01T12:00:00Z), or a day in words (yesterday, 3d, "last friday"). A fact
is valid from --from (inclusive) to --until (exclusive). Most predicates allow
one object per subject: a second one is stored and reported as a conflict. See
docs/facts.md.

Examples:
  mempalace kg add shop default_branch main --from 2026-03-01   add a fact
  mempalace kg supersede shop default_branch main trunk         replace it
  mempalace kg query shop --as-of 2026-03-15                    valid that day
  mempalace kg forget shop default_branch mian                  erase a mistake`;

/** A command with the three words of a fact. */
function fact(name: string, description: string): Command {
  return createCommand(name, description)
    .argument('<subject>', 'what the fact is about')
    .argument('<predicate>', 'the property or relation')
    .argument('<object>', 'its value; put several words in quotes');
}

/** Options that are stored with a fact. */
function withOrigin(command: Command): Command {
  return command
    .addOption(shareOption('--confidence <x>', 'how certain the fact is, 0 to 1 (default: 1)'))
    .option('--drawer <id>', 'the drawer that states it; forgetting its source erases the fact')
    .option('--source <name>', 'a source, or a description of one')
    .option('--no-redact', 'store secrets unchanged');
}

const AS_OF = ['--as-of <moment>', 'facts valid at that time (default: all facts)'] as const;

const LIMIT = '--limit <n>';

export const kg = createCommand('kg', 'The knowledge graph: facts and when they are valid')
  .addCommand(
    withOrigin(
      fact('add', 'Add a fact')
        .option('--from <moment>', 'the start of its validity (inclusive)')
        .option('--until <moment>', 'the end of its validity (exclusive)'),
    ).action(lazily(async () => (await import('./write.js')).add)),
  )
  .addCommand(
    createCommand('query', 'Show facts about a subject or object')
      .argument('<entity>', 'the subject or the object')
      .option(...AS_OF)
      .addOption(
        choiceOption('--direction <which>', 'entity as subject, as object, or both, the default', [
          'outgoing',
          'incoming',
          'both',
        ]),
      )
      .option('--predicate <name>', 'only facts with this predicate')
      .addOption(countOption(LIMIT, 'show this many of the newest facts', 1).default(50))
      .action(lazily(async () => (await import('./read.js')).query)),
  )
  .addCommand(
    fact('invalidate', 'End a fact')
      .option('--at <moment>', 'the time of the change (default: now)')
      .action(lazily(async () => (await import('./write.js')).invalidate)),
  )
  .addCommand(
    withOrigin(
      createCommand('supersede', 'Replace a fact by a new one')
        .usage('[options] <subject> <predicate> [old] <new>')
        .argument('<subject>', 'what the fact is about')
        .argument('<predicate>', 'the property or relation')
        .argument('<object>', 'the new object; the old one if [new] is given')
        .argument('[new]', 'the new object')
        .option('--at <moment>', 'the time of the change (default: now)'),
    ).action(lazily(async () => (await import('./write.js')).supersede)),
  )
  .addCommand(
    createCommand('resolve', 'Decide between two facts that contradict each other')
      .argument('<id>', 'a fact (see `mempalace conflicts`)')
      .argument('<other>', 'the fact that contradicts it')
      .requiredOption('--keep <id>', 'the one that is true; the other one is ended')
      .requiredOption('--because <reason>', 'why; it is filed where search finds it')
      .action(lazily(async () => (await import('./resolve.js')).resolve)),
  )
  .addCommand(
    createCommand('timeline', 'Show facts by date, newest last')
      .argument('[entity]', 'only facts about this subject or object')
      .option(...AS_OF)
      .addOption(countOption(LIMIT, 'show this many of the newest facts', 1).default(50))
      .addOption(countOption('--offset <n>', 'skip this many of the newest facts', 0).default(0))
      .action(lazily(async () => (await import('./read.js')).timeline)),
  )
  .addCommand(
    createCommand('stats', 'Count facts and list conflicts').action(
      lazily(async () => (await import('./read.js')).stats),
    ),
  )
  .addCommand(
    createCommand('forget', 'Erase a fact that was added by mistake')
      .usage('[options] <id> | <subject> <predicate> <object>')
      .argument('<id>', 'the id of the fact, or its subject')
      .argument('[predicate]', 'its predicate')
      .argument('[object]', 'its object')
      .option('--backups', 'remove kept backups that contain it')
      .option('--dry-run', 'show what would be erased; change nothing')
      .option('--yes', 'do not ask')
      .addOption(waitOption())
      .action(lazily(async () => (await import('./forget.js')).forget, { here: true })),
  )
  .addCommand(
    createCommand('export', 'Write all facts as JSON')
      .option('--to <file>', 'write to this file instead of stdout')
      .action(lazily(async () => (await import('./read.js')).exportAll, { here: true })),
  )
  .addCommand(
    createCommand('import', 'Add the facts from an export or a knowledge_graph.sqlite3')
      .argument('<file>', 'the file')
      .option('--dry-run', 'show what would be added; change nothing')
      .option('--no-redact', 'store secrets unchanged')
      .action(lazily(async () => (await import('./write.js')).importFile, { here: true })),
  )
  .addHelpText('after', HELP);
