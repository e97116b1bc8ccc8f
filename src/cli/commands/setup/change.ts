import { isSystemError, messageOf, UserError } from '../../../core/errors.js';
import type { Folders } from '../../../platform/folders.js';
import type { Agent } from '../../../setup/agents.js';
import { apply } from '../../../setup/apply.js';
import { difference } from '../../../setup/difference.js';
import type { Planned } from '../../../setup/plan.js';
import { type SetupRecord, writeRecord } from '../../../setup/record.js';
import type { SetupStep } from './command.js';

/** One step of `setup`, planned or done. */
export interface Change {
  /** Undefined where it concerns no agent alone. */
  agent: Agent | undefined;
  steps: readonly SetupStep[];
  /** A file, or what is done. */
  what: string;
  done: 'created' | 'changed' | 'linked' | 'removed' | 'filed' | 'scheduled' | 'unchanged' | 'skipped';
  why?: string | undefined;
  /** Removed and added lines. */
  lines: readonly string[];
  /** Absent if there is nothing to do. */
  doIt?: () => Promise<void> | void;
}

/** The change of an agent's file, which is noted in the record. */
export async function fileChange(
  planned: Planned,
  record: SetupRecord,
  folders: Pick<Folders, 'data'>,
): Promise<Change> {
  const { agent, steps, file: what } = planned;
  const common = { agent, steps, what };
  if (planned.kind === 'kept') {
    const { why } = planned;
    return { ...common, done: why === undefined ? 'unchanged' : 'skipped', why, lines: [] };
  }
  const doIt = () => apply(planned, record, () => writeRecord(folders, record));
  if (planned.kind === 'link') {
    const { target } = planned;
    return {
      ...common,
      done: target === undefined ? 'removed' : 'linked',
      why: target && `to ${target}`,
      lines: [],
      doIt,
    };
  }
  const { before, after } = planned;
  const done = after === undefined ? 'removed' : before === undefined ? 'created' : 'changed';
  return { ...common, done, lines: await difference(before ?? '', after ?? ''), doIt };
}

/** Does a change. What fails is said in it, and the next one is done. */
export async function perform(change: Change): Promise<void> {
  try {
    await change.doIt?.();
  } catch (error) {
    if (
      !(error instanceof UserError || isSystemError(error)) ||
      (error instanceof UserError && error.code === 'interrupted')
    )
      throw error;
    change.done = 'skipped';
    change.why = messageOf(error);
  }
}
