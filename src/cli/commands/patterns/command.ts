import { PATTERN_KINDS } from '../../../core/pattern-kinds.js';
import { choiceOption, countOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const EXPLANATION = `
An error recurs if the same tool fails with the same message in at least two
sessions; folders, numbers, hashes, ids and times in it do not count. Its fix is
the first later success of the same command or file, with the files that were
changed before it. A decision, preference or architecture recurs if diary
entries with this topic, or facts with this predicate, say the same again.

Examples:
  mempalace patterns                        what recurs, most often first
  mempalace patterns --kind fix --file auth.ts
  mempalace patterns --project .            errors of sessions in this folder`;

export const patterns = createCommand('patterns', 'List what recurs across sessions: errors and their fixes')
  .addOption(choiceOption('--kind <kind>', 'only this kind', PATTERN_KINDS))
  .option('--file <path>', 'only errors that concern this file, or were fixed by changing it')
  .option('--project <folder>', 'only errors of sessions in this folder and below')
  .addOption(countOption('--limit <n>', 'patterns to show (default: 20)', 1))
  .addOption(countOption('--offset <n>', 'patterns to skip', 0))
  .option('--no-pager', 'do not use a pager')
  .addHelpText('after', EXPLANATION)
  .action(lazily(async () => (await import('./run.js')).runPatterns));
