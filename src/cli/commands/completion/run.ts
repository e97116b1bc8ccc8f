import type { CommonFlags } from '../../app/options.js';
import type { BareContext } from '../../app/runner.js';
import { completionScript } from '../../reference/index.js';
import type { Shell } from '../../reference/shells.js';

/** `mempalace completion <shell>`. */
export async function printCompletion(
  { terminal }: BareContext,
  _: CommonFlags,
  shell: Shell,
): Promise<void> {
  const script = completionScript(shell);
  terminal.json({ shell, script });
  terminal.data(script.trimEnd());
}
