import { commandOf } from '../../../adapters/cli.js';
import { patterns as operations } from '../../../operations/reading/patterns.js';

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

export const patterns = commandOf(operations.patterns).addHelpText('after', EXPLANATION);
