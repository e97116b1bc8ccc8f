import { commandOf } from '../../../adapters/cli.js';
import { checkpoints } from '../../../operations/reading/checkpoints.js';
import { createCommand, type FlagsOf } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
A checkpoint says where a session stood: the last requests, the open tasks, the
changed files, the errors without a later success. Runs make one per compaction
and one when a session ends. Without a subcommand, one is made now: the session
is filed, and the checkpoint keeps the note.

Examples:
  mempalace checkpoint --note "Rounding is done; the tax is next."
  mempalace checkpoint list                        of all sessions, newest first
  mempalace checkpoint show <session id>           the last one of a session`;

export const command = createCommand('checkpoint', 'Show where sessions stood, or keep where one stands')
  .option('--session <id>', 'the session (default: the last one in this folder)')
  .option('--note <text>', 'kept with it, such as a decision')
  .option('--no-redact', 'file secrets unchanged (search will find them)')
  .addCommand(commandOf(checkpoints.checkpointList))
  .addCommand(commandOf(checkpoints.checkpointShow))
  .addHelpText('after', HELP);
export type CheckpointFlags = FlagsOf<typeof command>;
command.action(lazily(async () => (await import('./make.js')).make));
