import { Argument } from 'commander';
import { choiceOption, createCommand } from '../../app/options.js';
import { perform } from '../../app/runner.js';
import { DIRECTIONS, KG_ACTIONS, type KgFlags } from './actions.js';

const HELP = `
What it does:
  add <subject> <predicate> <object>         tell a fact
  query <entity>                             what is known of something
  invalidate <subject> <predicate> <object>  it holds no longer
  supersede <subject> <predicate> [<old>] <new>
                                             something else holds from now on
  timeline [entity]                          facts by date, the newest last
  stats                                      how many; what contradicts itself
  forget <id>, forget <subject> <predicate> <object>
                                             erase one that was told by mistake
  export, import <file>                      all facts as JSON, and back; also
                                             a knowledge_graph.sqlite3

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

export const kg = createCommand('kg', 'Facts with the time in which they hold: the knowledge graph')
  .addArgument(new Argument('<what>', 'what to do').choices(KG_ACTIONS))
  .argument('[words...]', 'the words of the fact, the entity, or the file')
  .optionsGroup('Add, supersede:')
  .option('--from <moment>', 'add: since when it holds')
  .option('--until <moment>', 'add: the end of its validity (exclusive)')
  .option('--confidence <x>', 'how sure it is, 0 to 1 (default: 1)')
  .option('--drawer <id>', 'the drawer that says so; the fact is erased when its source is forgotten')
  .option('--source <name>', 'a source, or words that say where it was read')
  .option('--no-redact', 'keep secrets as they are; import, too')
  .optionsGroup('Invalidate, supersede:')
  .option('--at <moment>', 'from when on (default: now)')
  .optionsGroup('Query, timeline, export:')
  .option('--as-of <moment>', 'query: what held then (default: everything, current or not)')
  .addOption(
    choiceOption(
      '--direction <which>',
      'query: as the subject, the object, or both, the default',
      DIRECTIONS,
    ),
  )
  .option('--predicate <name>', 'query: only this one')
  .option('--limit <n>', 'facts to show, the newest (default: 50)')
  .option('--offset <n>', 'timeline: leave out so many of the newest')
  .option('--to <file>', 'export: write it there instead of printing it')
  .optionsGroup('Forget, import:')
  .option('--dry-run', 'say what would be done, touch nothing')
  .option('--backups', 'forget: remove the kept backups that hold it')
  .option('--yes', 'forget: do not ask')
  .option('--wait <duration>', 'forget: how long to wait for another run (default: 10s)')
  .addHelpText('after', HELP)
  .action((what: string, words: string[], flags: KgFlags) =>
    perform(flags, async (context) => (await import('./run.js')).runKg(what, words, flags, context)),
  );
