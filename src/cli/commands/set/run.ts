import { resolve } from 'node:path';
import { UserError } from '../../../core/errors.js';
import type { Priority } from '../../../core/importance.js';
import { findTarget, type Target } from '../../../reading/index.js';
import type { MarkChange, Palace } from '../../../store/index.js';
import { EXIT } from '../../app/exit.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { besideRun, writingOnce } from '../../app/single-write.js';
import { line, type Terminal } from '../../terminal/terminal.js';

export interface SetFlags extends CommonFlags {
  priority?: Priority | 'none';
  pin?: boolean;
  unpin?: boolean;
}

/** `mempalace set`: one short write, even during a run. */
export async function runSet(context: CommandContext, flags: SetFlags, what: string): Promise<void> {
  const change = changeOf(flags);
  const startedMs = Date.now();
  return writingOnce(context.folders.palace, context, { make: false }, async (palace) => {
    const outcome = palace.transaction(() => {
      const target = findTarget(palace, what, [resolve(what)]);
      palace.priorities.set(...rowOf(target), change);
      const end = { exitCode: EXIT.done, counts: { marked: 1 }, skipped: [] };
      palace.runs.add(besideRun('mempalace set', palace.model, startedMs), end);
      return outcomeOf(target, palace);
    });
    report(outcome, context.terminal);
  });
}

/** @throws UserError `usage` */
function changeOf(flags: SetFlags): MarkChange {
  const { priority, pin, unpin } = flags;
  if (priority === undefined && pin !== true && unpin !== true) {
    throw new UserError('usage', 'nothing to set', {
      hint: 'give --priority high|medium|low|none, --pin or --unpin',
    });
  }
  return {
    priority: priority === 'none' ? null : priority,
    pinned: pin === true ? true : unpin === true ? false : undefined,
  };
}

function rowOf(target: Target): ['drawers' | 'sources', number] {
  return target.kind === 'drawer' ? ['drawers', target.drawer.id] : ['sources', target.source.id];
}

type Outcome = ReturnType<typeof outcomeOf>;

function outcomeOf(target: Target, palace: Palace) {
  const facts = target.kind === 'drawer' ? target.drawer : target.source;
  const marks = palace.priorities.of(...rowOf(target));
  return {
    kind: target.kind,
    drawer_id: target.kind === 'drawer' ? target.drawer.drawerId : null,
    source_key: facts.sourceKey,
    source_file: facts.sourceFile,
    title: facts.title === '' ? null : facts.title,
    priority: marks?.priority ?? null,
    set_priority: marks?.setPriority ?? null,
    pinned: marks?.pinned ?? false,
    set_pinned: marks?.setPinned ?? false,
  };
}

function report(outcome: Outcome, terminal: Terminal): void {
  terminal.json(outcome);
  const name = line(outcome.title ?? outcome.source_file);
  const which = outcome.drawer_id === null ? name : `${outcome.drawer_id} of ${name}`;
  const since = outcome.set_priority === null && outcome.priority !== null ? ' (not set here)' : '';
  const pinned = outcome.pinned ? (outcome.set_pinned ? ', pinned' : ', pinned with its source') : '';
  terminal.say(`${which}: priority ${outcome.priority ?? 'none'}${since}${pinned}`);
}
