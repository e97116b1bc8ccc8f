// Lets pi remember: tools of the palace, an overview at the start, sessions that file themselves, /mempalace-diary.
// Link this file as ~/.pi/agent/extensions/mempalace.ts (install.sh does), or run `pi install <checkout>`; see README.md.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Pi } from './pi-api.ts';

/**
 * pi does not start when an extension cannot be imported or throws. So the rest is imported here, from where the link
 * leads to: pi resolves imports relative to the link.
 */
export default async function mempalace(pi: Pi): Promise<void> {
  try {
    const file = join(dirname(realpathSync(fileURLToPath(import.meta.url))), 'bridge.ts');
    const { bridge }: typeof import('./bridge.ts') = await load(file);
    bridge(pi);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    pi.on('session_start', (_event, context) => {
      if (context.hasUI) context.ui.notify(`mempalace: the extension does not load: ${reason}`, 'warning');
    });
  }
}

/** pi's loader takes paths, Node's own takes addresses. */
async function load(file: string): Promise<typeof import('./bridge.ts')> {
  return import(process.platform === 'win32' ? pathToFileURL(file).href : file);
}
