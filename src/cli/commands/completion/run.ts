import { EXIT } from '../../app/exit.js';
import type { CommonFlags } from '../../app/options.js';
import type { BareContext } from '../../app/runner.js';
import { completionScript } from '../../reference/index.js';
import type { Shell } from '../../reference/shells.js';

/** `mempalace completion <shell>`. Returns the exit code. */
export function printCompletion({ terminal }: BareContext, { json }: CommonFlags, shell: Shell): number {
  const script = completionScript(shell);
  if (json === true) terminal.json({ shell, script });
  else terminal.data(script.trimEnd());
  return EXIT.done;
}
