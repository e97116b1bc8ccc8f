import { UserError } from '../../../core/errors.js';
import { eraseStaged } from '../../../feeders/staging/erase-staged.js';
import { disagrees } from '../../../maintenance/verify/finding.js';
import { removeOrphans, stillOrphaned } from '../../../maintenance/verify/sessions.js';
import { keepBackup } from '../../../store/index.js';
import { plural } from '../../../terminal/durations.js';
import { confirm } from '../../app/confirm.js';
import { EXIT } from '../../app/exit.js';
import { exitCodeFor, withRun } from '../../app/filing.js';
import type { ProgramContext } from '../../app/runner.js';
import { problemsOf } from '../../app/summary.js';
import type { VerifyFlags } from './command.js';
import { printVerified, type Removed, type Tally } from './print.js';
import { Verification } from './verification.js';

export async function runVerify(context: ProgramContext, flags: VerifyFlags): Promise<number> {
  const { apply = false, dryRun = false } = flags;
  if (flags.yes === true && !apply) throw new UserError('usage', '--yes is for --apply');
  const startedAt = performance.now();
  const verification = new Verification(context, flags);
  await verification.run();
  const { tally } = verification;
  const print = (removed: Removed | undefined) =>
    printVerified(tally, removed, { dryRun, startedAt }, context);
  const orphans = tally.findings.filter(({ status }) => status === 'orphaned');
  const question = `Remove ${plural(orphans.length, 'source')} that ${orphans.length === 1 ? 'is' : 'are'} gone?`;
  if (apply && !dryRun && orphans.length > 0 && (await confirm(question, flags.yes, context))) {
    return removeUnderLock(verification, flags, context, print);
  }
  print(apply ? { sources: dryRun ? orphans.length : 0, drawers: 0, staged: 0 } : undefined);
  return codeOf(tally);
}

function codeOf({ findings, unread }: Tally): number {
  return findings.some(disagrees) ? EXIT.incomplete : exitCodeFor(unread);
}

async function removeUnderLock(
  { tally, feeder }: Verification,
  { wait: waitMs, backup }: VerifyFlags,
  context: ProgramContext,
  print: (removed: Removed) => void,
): Promise<number> {
  const { folders, signal, command } = context;
  return withRun({ command, waitMs }, context, async ({ palace, run }) => {
    const gone = await stillOrphaned(tally.findings, palace, feeder);
    if (backup && gone.length > 0) keepBackup(folders.palace, 'verify', { run: { id: run.id } });
    const erasing = { cache: folders.cache, command, waitMs, signal };
    const staged = await eraseStaged({ ...erasing, traces: gone });
    const removed = { sources: gone.length, drawers: removeOrphans(palace, gone), staged };
    tally.settle(new Set(gone.map(({ sourceKey }) => sourceKey)));
    print(removed);
    const counts = { ...tally.counts, removed: removed.sources, drawers_removed: removed.drawers };
    return { exitCode: codeOf(tally), counts, skipped: problemsOf(tally.unread) };
  });
}
