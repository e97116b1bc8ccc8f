import { BAR } from '../../../core/outside.js';
import { resolvedDocument } from '../../../presentation/conflicts.js';
import { factSentence } from '../../../presentation/facts.js';
import { withWriter } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { warnRedacted } from '../../app/summary.js';
import { line } from '../../terminal/terminal.js';
import { COMMAND } from './read.js';

interface ResolveFlags extends CommonFlags {
  keep: string;
  because: string;
}

/** `mempalace kg resolve`. */
export function resolve(
  context: CommandContext,
  { keep, because }: ResolveFlags,
  ...facts: [string, string]
): Promise<void> {
  const { terminal } = context;
  return withWriter(context, { command: COMMAND, make: false }, async (service, call) => {
    const resolved = await service.resolveConflict({ facts, keep, because }, call);
    terminal.json(resolvedDocument(resolved, new Date()));
    terminal.say(`kept: ${BAR}${line(factSentence(resolved.kept))}`);
    terminal.say(`ended: ${BAR}${line(factSentence(resolved.ended))}`);
    terminal.say(`filed as ${resolved.sourceKey}`);
    warnRedacted(resolved.redacted, terminal);
  });
}
