import { resolve } from 'node:path';
import { snakeNamed } from '../../core/case.js';
import { UserError } from '../../core/errors.js';
import { planRestore, restorePalace } from '../../maintenance/backup/restore.js';
import { type KeptBackup, keptBackups } from '../../store/index.js';
import { formatBytes, formatSeconds, minuteOf, plural, secondsSince } from '../../terminal/durations.js';
import { line } from '../../terminal/terminal.js';
import { confirm } from '../app/confirm.js';
import { EXIT } from '../app/exit.js';
import { createCommand, type FlagsOf, waitOption } from '../app/options.js';
import { underRunLock } from '../app/run-lock.js';
import { action, type ProgramContext } from '../app/runner.js';
import { besideRun } from '../app/single-write.js';

const HELP = `
The current palace is first copied to <palace>/backups, which keeps the last
three backups made before restore, repair, reembed, verify --apply and
migrations. Readers see either the old or the new palace. A damaged palace is
moved aside, never deleted. Sources forgotten after the backup stay forgotten.

Examples:
  mempalace restore --list                  list the backups
  mempalace restore --last                  restore the newest backup
  mempalace restore ~/palace.sqlite3        restore your own backup`;

export const command = createCommand('restore', 'Replace the palace by a backup')
  .argument('[file]', 'the backup')
  .option('--last', 'restore the newest kept backup')
  .option('--list', 'list the kept backups')
  .option('--dry-run', 'check the backup and show what would be done; change nothing')
  .option('--yes', 'do not ask')
  .option('--no-backup', 'keep no backup of the current palace')
  .addOption(waitOption())
  .addHelpText('after', HELP);
command.action(action(runRestore, { here: true }));

async function runRestore(
  context: ProgramContext,
  { last, list = false, dryRun, yes, backup: keep, wait: waitMs }: FlagsOf<typeof command>,
  name: string | undefined,
): Promise<number | undefined> {
  const { terminal, command, answer } = context;
  const { palace } = context.folders;
  const ways = [name !== undefined, last === true, list];
  if (ways.filter(Boolean).length !== 1) throw new UserError('usage', 'give a backup file, --last or --list');
  if (list) return listKept(keptBackups(palace), context);
  const file = name === undefined ? newest(palace, context) : resolve(name);
  const plan = planRestore(palace, file);
  if (dryRun === true) return preview(file, plan, keep, context);
  const { sources, drawers } = plan.backup;
  if (plan.present !== 'none') {
    const what = `${plural(drawers, 'drawer')} from ${plural(sources, 'source')}`;
    const question = `Replace ${line(palace)} by ${line(file)} (${what})?`;
    if (!(await confirm(question, yes, context))) return;
  }
  const startedAt = performance.now();
  const startedMs = Date.now();
  const done = await terminal.during('restore', ({ update }) =>
    underRunLock(palace, { command, waitMs, make: true, alone: true }, context, () =>
      restorePalace({
        palace,
        file,
        keep,
        record: ({ facts: { model, sources, drawers }, forgotten }) => ({
          run: besideRun(command, model, startedMs),
          end: { exitCode: EXIT.done, counts: { sources, drawers, forgotten }, skipped: [] },
        }),
        onProgress: (step, now, total) => update(now, total, step),
      }),
    ),
  );
  const seconds = secondsSince(startedAt);
  answer(snakeNamed({ file, ...done, before: done.before?.file ?? null, seconds }));
  if (done.before !== undefined) terminal.say(`the previous palace is kept as ${line(done.before.file)}`);
  for (const moved of done.movedAside) terminal.say(`the damaged palace was moved aside: ${line(moved)}`);
  if (done.forgotten > 0)
    terminal.say(`${plural(done.forgotten, 'source')} of the backup stay forgotten and were erased`);
  if (done.uncertain) terminal.warn(UNCERTAIN);
  terminal.say(
    `restored ${line(file)}: ${plural(done.drawers, 'drawer')} from ${plural(done.sources, 'source')}, ${formatSeconds(seconds)}`,
  );
  return done.uncertain ? EXIT.incomplete : EXIT.done;
}

const UNCERTAIN =
  'the list of forgotten sources in the previous palace could not be read; check mempalace forget --list';

/**
 * The newest backup that can be restored; copies of a damaged palace are skipped.
 *
 * @throws UserError `not-found`
 */
function newest(palace: string, { terminal }: ProgramContext): string {
  const kept = keptBackups(palace);
  const last = kept.find(({ damaged }) => !damaged);
  for (const { file, takenMs } of kept)
    if (last !== undefined && takenMs > last.takenMs)
      terminal.note(`note: ${line(file)} is newer, but contains a damaged palace`);
  if (last !== undefined) return last.file;
  throw new UserError('not-found', `no backup is kept in ${palace}`, {
    hint: 'backups are made before restore, repair, reembed, verify --apply and migrations',
  });
}

function preview(
  file: string,
  { backup, present, forgotten, uncertain }: ReturnType<typeof planRestore>,
  keep: boolean,
  { terminal, answer }: ProgramContext,
): undefined {
  const keeps = present === 'whole' && keep;
  answer({ file, ...backup, present, keeps_backup: keeps, forgotten, uncertain });
  if (keeps) terminal.say('would keep a backup of the current palace');
  if (present === 'damaged') terminal.say('would move the damaged palace aside');
  if (forgotten > 0)
    terminal.say(`would erase ${plural(forgotten, 'source')} of the backup that stay forgotten`);
  if (uncertain) terminal.warn(UNCERTAIN);
  const { sources, drawers } = backup;
  terminal.say(`would restore ${line(file)}: ${plural(drawers, 'drawer')} from ${plural(sources, 'source')}`);
}

function listKept(kept: readonly KeptBackup[], { terminal, command }: ProgramContext): undefined {
  const backups = kept.map(({ file, reason: before, damaged, takenMs, bytes }) => {
    return { file, before, damaged, taken: new Date(takenMs).toISOString(), bytes };
  });
  terminal.json({ command, backups });
  for (const { file, before, damaged, taken, bytes } of backups)
    terminal.data(
      `${minuteOf(taken)}  before ${before.padEnd(9)}  ${formatBytes(bytes)}  ${line(file)}${damaged ? ' (damaged)' : ''}`,
    );
  if (kept.length === 0 && !terminal.options.json) terminal.note('no backup is kept');
}
