import { snakeNamed } from '../../../core/case.js';
import { line, NOTICE } from '../../../core/outside.js';
import { absent } from '../../../presentation/nothing-found.js';
import { wakeUpOf } from '../../../presentation/wake-up.js';
import type { ShownMemory, WakeUp } from '../../../reading/index.js';
import type { Palace } from '../../../store/index.js';
import { withPalace } from '../../app/open-palace.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import type { Terminal } from '../../terminal/terminal.js';

export interface WakeUpFlags extends CommonFlags {
  wing?: string;
  agent?: string;
  tokens?: number;
}

export async function runWakeUp(context: CommandContext, flags: WakeUpFlags): Promise<void> {
  const { config, terminal } = context;
  const { wing, tokens = config.wakeUp.tokens } = flags;
  const { agentOf } = await import('../../../knowledge/diary/agent.js');
  const agent = flags.agent === undefined ? undefined : agentOf(flags.agent);
  return withPalace(context, (palace) => {
    const result = wakeUpOf(palace, config, { wing, tokens, agent });
    const { identified, trouble } = result;
    if (trouble !== undefined) terminal.warn(`the identity file cannot be read: ${line(trouble)}`);
    else if (!identified)
      terminal.note(
        `hint: describe yourself and your work in ${line(config.wakeUp.identity)}; wake-up prints it first`,
      );
    if (wing !== undefined && result.holdings.length === 0) noteUnknown(wing, palace, terminal);
    terminal.json(wakeUpJson(result, tokens, wing));
    if (!terminal.options.json) terminal.io.stdout.write(result.text);
  });
}

function noteUnknown(wing: string, palace: Palace, terminal: Terminal): void {
  const wings = palace.listing.wings().map((known) => known.wing);
  if (!wings.includes(wing)) terminal.note(absent('wing', wing, wings, 'in this palace'));
}

function wakeUpJson(result: WakeUp, budget: number, wing: string | undefined): Record<string, unknown> {
  return {
    notice: NOTICE,
    wing: wing ?? null,
    budget,
    tokens: result.tokens,
    text: result.text,
    identity: result.identity === '' ? null : result.identity,
    important: result.important.map(memoryJson),
    diary: result.diary.map(memoryJson),
    sessions: result.sessions.map(memoryJson),
    holdings: result.holdings,
  };
}

function memoryJson({ kind, drawerId, sourceKey, sessionId, wing, room, ...memory }: ShownMemory) {
  const { directory, day: date, priority, pinned, score, text, cut } = memory;
  const title = memory.title === '' ? null : memory.title;
  const place = { kind, drawerId, sourceKey, sessionId, wing, room, title, directory, date };
  return snakeNamed({ ...place, priority, pinned, score, text, cut });
}
