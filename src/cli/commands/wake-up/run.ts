import { resolve } from 'node:path';
import { expandHome } from '../../../config/texts.js';
import { UserError } from '../../../core/errors.js';
import { line } from '../../../core/outside.js';
import { workingFolder } from '../../../platform/checkout.js';
import { wakeUpAsked, wakeUpDocument } from '../../../presentation/wake-up.js';
import { agentNameOf } from '../../app/agent-name.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

export interface WakeUpFlags extends CommonFlags {
  wing?: string;
  folder?: string;
  everywhere?: boolean;
  agent?: string;
  tokens?: number;
}

export async function runWakeUp(context: CommandContext, flags: WakeUpFlags): Promise<void> {
  const { config, terminal, env, folders } = context;
  const { wing, tokens = config.wakeUp.tokens } = flags;
  const given = { '--wing': wing, '--folder': flags.folder, '--everywhere': flags.everywhere };
  const [one, other] = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (one !== undefined && other !== undefined)
    throw new UserError('usage', `${one} and ${other} exclude each other`);
  const named = flags.folder === undefined ? undefined : resolve(expandHome(flags.folder, folders.home));
  const here = one === undefined ? workingFolder() : named === undefined ? undefined : [named];
  const { agentOf } = await import('../../../knowledge/diary/agent.js');
  const name = agentNameOf(flags.agent, env);
  const agent = name === undefined ? undefined : agentOf(name);
  const asked = (around: string[] | undefined) =>
    wakeUpAsked(config, { wing, folders: around, tokens, agent }, env);
  const { input, trouble } = asked(here);
  return withService(context, async (service, call) => {
    const own = await service.wakeUp(input, call);
    // A palace without projects has nothing to keep apart. A hook and an agent are told of this folder all the same.
    const isBare = one === undefined && own.elsewhere?.projects === 0 && own.sessions.length === 0;
    const result = isBare ? await service.wakeUp(asked(undefined).input, call) : own;
    if (trouble !== undefined) terminal.warn(`the identity file cannot be read: ${line(trouble)}`);
    else if (input.identity === undefined && terminal.io.stderr.isTTY && !terminal.options.json)
      terminal.note(
        `hint: describe yourself and your work in ${line(config.wakeUp.identity)}; wake-up prints it first`,
      );
    terminal.json(wakeUpDocument(result, tokens));
    if (!terminal.options.json) terminal.io.stdout.write(result.text);
  });
}
