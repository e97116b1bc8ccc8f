import type { CommonFlags } from '../../app/options.js';
import { fileReceived } from '../../app/receiving.js';
import type { CommandContext } from '../../app/runner.js';

/** `mempalace broker receive`: files what another machine sent, as the broker is told by that machine. */
export async function brokerReceive(
  context: CommandContext,
  { wait }: CommonFlags & { wait: number },
  folder: string,
): Promise<void> {
  context.terminal.json(await fileReceived(folder, wait, context));
}
