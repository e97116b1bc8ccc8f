import { UserError } from '../../../core/errors.js';
import { EXIT } from '../../app/exit.js';
import type { CommonFlags } from '../../app/options.js';
import type { BareContext } from '../../app/runner.js';
import { program as docs } from '../../programs/docs.js';
import { program as mcp } from '../../programs/mcp.js';
import { program as mempalace } from '../../programs/mempalace.js';
import { program as session } from '../../programs/session.js';
import { COMPLETIONS } from '../../reference/completions.js';
import { readProgram } from '../../reference/tree.js';
import { SHELLS } from './shells.js';

/** Prints the completion script of all programs. */
export async function printCompletion(
  name: string,
  flags: CommonFlags,
  { terminal }: BareContext,
): Promise<number> {
  const shell = SHELLS.find((each) => each === name);
  if (shell === undefined) throw new UserError('usage', `completion is not available for ${name}`);
  const script = [mempalace, docs, mcp, session]
    .map((program) => COMPLETIONS[shell](readProgram(program)))
    .join('\n');
  if (flags.json === true) terminal.json({ shell, script });
  else terminal.data(script.trimEnd());
  return EXIT.done;
}
