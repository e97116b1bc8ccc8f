import { documentOf } from '../../../adapters/rest.js';
import type { Host } from '../../../mcp/tool.js';
import { forgetting } from '../../../operations/forgetting.js';
import type { Writer } from '../../../service/palace/resources.js';

/** Forgets in a program of its own: erasing from large backups takes minutes, in which this one must answer its other clients. */
export async function forgetBeside(
  { program }: Pick<Host, 'program'>,
  ...[{ backups, preview = '', paths: _, ...what }, { waitMs, signal }]: Parameters<Writer['forget']>
) {
  const named = Object.entries(what).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  const args = [
    ...['forget', ...named],
    ...['--preview', preview, '--yes', '--wait', `${Math.max(0, Math.floor(waitMs / 1000))}s`],
    ...(backups ? ['--backups'] : []),
  ];
  return documentOf(forgetting.forget).parse(await program('mempalace', args, signal));
}
