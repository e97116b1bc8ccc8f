import type { Host } from '../../../mcp/tool.js';
import { documents } from '../../../presentation/documents/index.js';
import { readForgotten } from '../../../presentation/forgetting.js';
import type { Forgotten, Input, ServiceCall } from '../../../service/contract/index.js';

/** Forgets in a program of its own: erasing from large backups takes minutes, in which this one must answer its other clients. */
export async function forgetBeside(
  { program }: Pick<Host, 'program'>,
  { what, removeBackups, preview }: Input<'forget'>,
  { waitMs, signal }: ServiceCall,
): Promise<Forgotten> {
  const args = [
    ...['forget', `--${what.by}`, what.by === 'source' ? what.name : String(what.value)],
    ...['--preview', preview, '--yes', '--wait', `${Math.max(0, Math.floor(waitMs / 1000))}s`],
    ...(removeBackups ? ['--backups'] : []),
  ];
  return readForgotten(documents.forget.parse(await program('mempalace', args, signal)));
}
