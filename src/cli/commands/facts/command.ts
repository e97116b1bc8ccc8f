import { commandOf } from '../../../adapters/cli.js';
import { facts } from '../../../operations/facts/index.js';
import { createCommand, type FlagsOf, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Without a command, facts shows the newest facts.

A moment is a day (2026-03-01, meaning its first second), a second in UTC
(2026-03-01T12:00:00Z), or a day in words (yesterday, 3d, "last friday"). A fact
is valid from --from (inclusive) to --until (exclusive). Most predicates allow
one object per subject: a second one is stored and reported as a conflict. See
docs/facts.md.

Examples:
  mempalace facts add shop default_branch main --from 2026-03-01
  mempalace facts supersede shop default_branch main trunk   replace it
  mempalace facts query shop --as-of 2026-03-15              valid that day
  mempalace facts forget shop default_branch mian            erase a mistake`;

const forget = createCommand('forget', 'Erase a fact that was added by mistake')
  .usage('[options] <id> | <subject> <predicate> <object>')
  .argument('<id>', 'the id of the fact, or its subject')
  .argument('[predicate]', 'its predicate')
  .argument('[object]', 'its object')
  .option('--backups', 'remove kept backups that contain it')
  .option('--dry-run', 'show what would be erased; change nothing')
  .option('--yes', 'do not ask')
  .addOption(waitOption());
export type ForgetFlags = FlagsOf<typeof forget>;

const exportFacts = createCommand('export', 'Write all facts as JSON').option(
  '--to <file>',
  'write to this file instead of stdout',
);
export type ExportFlags = FlagsOf<typeof exportFacts>;

const importFacts = createCommand('import', 'Add the facts from an export or a knowledge_graph.sqlite3')
  .argument('<file>', 'the file')
  .option('--dry-run', 'show what would be added; change nothing')
  .option('--no-redact', 'store secrets unchanged');
export type ImportFlags = FlagsOf<typeof importFacts>;

const CONFLICTS_HELP = `
Facts contradict each other when they have one subject and one predicate, but
different objects at the same time. Predicates that usually have several objects
are left out. See docs/facts.md.

Examples:
  mempalace facts resolve fact_0123 fact_4567 --keep fact_4567 --because renamed`;

const here = { here: true, signs: 'mempalace kg' };

export const command = createCommand('facts', 'What is known, and when it is valid: a knowledge graph')
  .addCommand(commandOf(facts.kgAdd))
  .addCommand(commandOf(facts.kgQuery))
  .addCommand(commandOf(facts.kgInvalidate))
  .addCommand(commandOf(facts.kgSupersede))
  .addCommand(commandOf(facts.conflicts).addHelpText('after', CONFLICTS_HELP))
  .addCommand(commandOf(facts.kgResolve))
  .addCommand(commandOf(facts.kgTimeline), { isDefault: true })
  .addCommand(commandOf(facts.kgStats))
  .addCommand(forget.action(lazily(async () => (await import('./forget.js')).forget, here)))
  .addCommand(exportFacts.action(lazily(async () => (await import('./exchange.js')).exportAll, here)))
  .addCommand(importFacts.action(lazily(async () => (await import('./exchange.js')).importFile, here)))
  .addHelpText('after', HELP);
