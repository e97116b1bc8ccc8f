import { Writable } from 'node:stream';
import type { Config } from '../../../config/index.js';
import { startIn } from '../../../operations/wake-up/start.js';
import { resolveFolders } from '../../../platform/folders.js';
import { Terminal } from '../../../terminal/terminal.js';
import { withService } from '../../app/open-service.js';
import type { CommandContext } from '../../app/runner.js';
import type { Starting } from './context.js';

/** The agent waits for it, milliseconds. */
const ANSWER_MS = 8_000;

/**
 * The text for an agent at the start of a session, from the palace behind a named broker.
 *
 * @param resumed lines about the state of the session, which precede it within its budget
 * @throws UserError `unreachable`, and as the palace there
 */
export async function contextThere(
  { palace, input: { cwd }, config }: Pick<Starting, 'palace' | 'input' | 'config'>,
  resumed: readonly string[],
): Promise<string> {
  const start = { ...startIn(cwd === undefined ? [] : [cwd], config), before: resumed };
  const context = silentContext(palace, config, AbortSignal.timeout(ANSWER_MS));
  return withService(
    context,
    async (service, call) =>
      String((await service.ask({ name: 'wake-up', reads: true }, { start }, call)).text),
    { warns: false, upgrades: false },
  );
}

/** For calls of a hook, which prints its answer alone. */
export function silentContext(palace: string, config: Config, signal: AbortSignal): CommandContext {
  const { env, stdin } = process;
  const silent = new Writable({ write: (_, __, done) => done() });
  const terminal = new Terminal(
    { stdin, stdout: silent, stderr: silent, env },
    { json: false, quiet: true, verbose: false, color: false },
  );
  return { terminal, env, folders: resolveFolders(env, palace), signal, config };
}
