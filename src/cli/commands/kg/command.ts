import type { Command } from 'commander';
import { choiceOption, countOption, createCommand, shareOption, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
A moment is a day (2026-03-01, its first second), a second of UTC
(2026-03-01T12:00:00Z), or a day in words (yesterday, 3d, "last friday"). A fact
is valid from --from (inclusive) to --until (exclusive). Most predicates allow
one object per subject: a second one is stored and reported as a conflict. See
docs/facts.md.

Examples:
  mempalace kg add shop default_branch main --from 2026-03-01   a fact
  mempalace kg supersede shop default_branch main trunk         it has changed
  mempalace kg query shop --as-of 2026-03-15                    as it was then
  mempalace kg forget shop default_branch mian                  never said`;

/** The words of a fact. */
function fact(name: string, description: string): Command {
  return createCommand(name, description)
    .argument('<subject>', 'what the fact is about')
    .argument('<predicate>', 'what is said of it')
    .argument('<object>', 'and what that is; quotes make one of several words');
}

/** What is noted beside a fact. */
function withOrigin(command: Command): Command {
  return command
    .addOption(shareOption('--confidence <x>', 'how sure it is, 0 to 1 (default: 1)'))
    .option('--drawer <id>', 'the drawer that says so; the fact is erased when its source is forgotten')
    .option('--source <name>', 'a source, or words that say where it was read')
    .option('--no-redact', 'keep secrets as they are');
}

const LIMIT = '--limit <n>';

export const kg = createCommand('kg', 'Facts with the time in which they hold: the knowledge graph')
  .addCommand(
    withOrigin(
      fact('add', 'Add a fact')
        .option('--from <moment>', 'since when it holds')
        .option('--until <moment>', 'the end of its validity (exclusive)'),
    ).action(lazily(async () => (await import('./write.js')).add)),
  )
  .addCommand(
    createCommand('query', 'Show what is known of something')
      .argument('<entity>', 'the subject or the object')
      .option('--as-of <moment>', 'what held then (default: everything, current or not)')
      .addOption(
        choiceOption('--direction <which>', 'as the subject, the object, or both, the default', [
          'outgoing',
          'incoming',
          'both',
        ]),
      )
      .option('--predicate <name>', 'only this one')
      .addOption(countOption(LIMIT, 'facts to show, the newest', 1).default(50))
      .action(lazily(async () => (await import('./read.js')).query)),
  )
  .addCommand(
    fact('invalidate', 'Say that a fact holds no longer')
      .option('--at <moment>', 'from when on (default: now)')
      .action(lazily(async () => (await import('./write.js')).invalidate)),
  )
  .addCommand(
    withOrigin(
      createCommand('supersede', 'Say what else holds from now on')
        .usage('[options] <subject> <predicate> [old] <new>')
        .argument('<subject>', 'what the fact is about')
        .argument('<predicate>', 'what is said of it')
        .argument('<object>', 'the new object; with a fourth word the old one')
        .argument('[new]', 'the new object')
        .option('--at <moment>', 'from when on (default: now)'),
    ).action(lazily(async () => (await import('./write.js')).supersede)),
  )
  .addCommand(
    createCommand('timeline', 'Show facts by date, the newest last')
      .argument('[entity]', 'only of this subject or object')
      .addOption(countOption(LIMIT, 'facts to show, the newest', 1).default(50))
      .addOption(countOption('--offset <n>', 'facts to skip, of the newest', 0).default(0))
      .action(lazily(async () => (await import('./read.js')).timeline)),
  )
  .addCommand(
    createCommand('stats', 'Show how many facts there are, and what contradicts itself').action(
      lazily(async () => (await import('./read.js')).stats),
    ),
  )
  .addCommand(
    createCommand('forget', 'Erase a fact that was added by mistake')
      .usage('[options] <id> | <subject> <predicate> <object>')
      .argument('<id>', 'the id of the fact, or its subject')
      .argument('[predicate]', 'its predicate')
      .argument('[object]', 'its object')
      .option('--backups', 'remove the kept backups that contain it')
      .option('--dry-run', 'say what would be erased, touch nothing')
      .option('--yes', 'do not ask')
      .addOption(waitOption())
      .action(lazily(async () => (await import('./forget.js')).forget)),
  )
  .addCommand(
    createCommand('export', 'Write all facts as JSON')
      .option('--to <file>', 'write them there instead of printing them')
      .action(lazily(async () => (await import('./read.js')).exportAll)),
  )
  .addCommand(
    createCommand('import', 'Add the facts of an export, or of a knowledge_graph.sqlite3')
      .argument('<file>', 'the file')
      .option('--dry-run', 'say what would be added, touch nothing')
      .option('--no-redact', 'keep secrets as they are')
      .action(lazily(async () => (await import('./write.js')).importFile)),
  )
  .addHelpText('after', HELP);
