import { snakeNamed } from '../../../core/case.js';
import type { Forgettable } from '../../../core/forgotten.js';
import { findMeant } from '../../../maintenance/forgettable.js';
import { Palace, type Tombstone } from '../../../store/index.js';
import { minuteOf, plural } from '../../../terminal/durations.js';
import { line } from '../../../terminal/terminal.js';
import { EXIT } from '../../app/exit.js';
import { underRunLock } from '../../app/run-lock.js';
import type { ProgramContext } from '../../app/runner.js';
import { besideRun, writingOnce } from '../../app/single-write.js';
import type { ForgetFlags } from './command.js';

const SHOWN = 10;

/** `mempalace forget --allow-again`. Exit code 4 tells scripts that nothing matched. */
export async function allowAgain(
  what: Forgettable,
  { dryRun, wait: waitMs }: ForgetFlags,
  context: ProgramContext,
): Promise<number | undefined> {
  const { terminal, folders, command, answer } = context;
  const tombstones = Palace.look(folders.palace, (palace) => findMeant(palace, what).tombstones);
  if (tombstones.length === 0) {
    terminal.json({ command, allowed: [] });
    terminal.note('no forgotten source matches; see mempalace list sources and mempalace forget --list');
    return EXIT.nothingFound;
  }
  const startedMs = Date.now();
  const lift = async (palace: Palace) => {
    const now = findMeant(palace, what).tombstones;
    const end = { exitCode: EXIT.done, counts: { allowed: now.length }, skipped: [] };
    palace.transaction(() => {
      palace.forgetting.removeTombstones(now.map(({ sourceKey }) => sourceKey));
      palace.runs.add(besideRun(`${command} --allow-again`, palace.model, startedMs), end);
    });
    return now;
  };
  const lifted =
    dryRun === true
      ? tombstones
      : await underRunLock(folders.palace, { command, waitMs }, context, () =>
          writingOnce(folders.palace, context, { make: false, program: command }, lift),
        );
  answer({ allowed: lifted.map(tombstoneRow) });
  const verb = dryRun === true ? 'would be allowed' : 'allowed';
  const shown = terminal.options.verbose ? lifted : lifted.slice(0, SHOWN);
  for (const { origin } of shown) terminal.say(`${verb} again: ${line(origin)}`);
  terminal.say(`${plural(lifted.length, 'source')} ${verb} again; the next run files those that still exist`);
}

export function listForgotten({ terminal, folders, command }: ProgramContext): undefined {
  const tombstones = Palace.look(folders.palace, (palace) => palace.forgetting.all());
  terminal.json({ command, tombstones: tombstones.map(tombstoneRow) });
  for (const { forgottenAt, wing, origin } of tombstones)
    terminal.data(`${minuteOf(forgottenAt)}  ${line(wing)}  ${line(origin)}`);
  if (tombstones.length === 0 && !terminal.options.json) terminal.note('nothing is forgotten');
}

function tombstoneRow({ runId: run, projectId: _, ...tombstone }: Tombstone) {
  return snakeNamed({ ...tombstone, run });
}
