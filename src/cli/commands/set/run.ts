import { resolve } from 'node:path';
import { snakeNamed } from '../../../core/case.js';
import { UserError } from '../../../core/errors.js';
import type { Priority } from '../../../core/importance.js';
import type { Document } from '../../../presentation/documents/index.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import { withWriter } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

export interface SetFlags extends CommonFlags {
  priority?: Priority | 'none';
  pin?: boolean;
  unpin?: boolean;
}

/** `mempalace set`: one short write, even during a run. */
export function runSet(context: CommandContext, flags: SetFlags, what: string): Promise<void> {
  const asked = { name: what, paths: [resolve(what)], ...changeOf(flags) };
  return withWriter(context, { command: 'mempalace set', make: false }, async (service, call) => {
    report(snakeNamed(await service.mark(asked, call)), context.terminal);
  });
}

/** @throws UserError `usage` */
function changeOf(flags: SetFlags) {
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

function report(outcome: Document<'set'>, terminal: Terminal): void {
  terminal.json(outcome);
  const name = line(outcome.title ?? outcome.source_file);
  const which = outcome.drawer_id === null ? name : `${outcome.drawer_id} of ${name}`;
  const since = outcome.set_priority === null && outcome.priority !== null ? ' (not set here)' : '';
  const pinned = outcome.pinned ? (outcome.set_pinned ? ', pinned' : ', pinned with its source') : '';
  terminal.say(`${which}: priority ${outcome.priority ?? 'none'}${since}${pinned}`);
}
