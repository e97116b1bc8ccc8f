import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PiContext } from './pi-api.ts';
import type { Settings } from './settings.ts';

/**
 * Where MEMPALACE_EXT_DEBUG shows the server's stderr and the extension's own troubles: on pi's stderr, and where that
 * is the screen that pi draws on, in a file. Without it, nowhere.
 */
export function debugLog(
  { debug, agentFolder }: Pick<Settings, 'debug' | 'agentFolder'>,
  { hasUI }: Pick<PiContext, 'hasUI'>,
): (line: string) => void {
  if (!debug) return () => {};
  const file = hasUI && process.stderr.isTTY === true ? join(agentFolder, 'mempalace-debug.log') : undefined;
  return (line) => {
    const text = `[mempalace] ${line}\n`;
    try {
      if (file === undefined) process.stderr.write(text);
      else appendFileSync(file, text, { mode: 0o600 });
    } catch {
      // A log that cannot be written does not stop pi.
    }
  };
}
