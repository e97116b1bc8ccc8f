import { NOTICE } from '../../../core/outside.js';
import { checkpointDocument, checkpointsDocument, noCheckpoint } from '../../../presentation/checkpoints.js';
import { minuteOf } from '../../../terminal/durations.js';
import { viewOf } from '../../../terminal/labels.js';
import { printLong } from '../../../terminal/pager.js';
import { quote, TEXT } from '../../../terminal/quote.js';
import { line } from '../../../terminal/terminal.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

interface ListFlags extends CommonFlags {
  session?: string;
  limit: number;
  offset: number;
}

/** `mempalace checkpoint list`. */
export function list(context: CommandContext, { session: name, limit, offset }: ListFlags): Promise<void> {
  const { terminal } = context;
  return withService(context, async (service, call) => {
    const found = await service.checkpoints({ name, limit, offset }, call);
    terminal.json(checkpointsDocument(found, offset));
    if (terminal.options.json) return;
    for (const { checkpointId, title, timestamp } of found.checkpoints)
      terminal.io.stdout.write(`${minuteOf(timestamp)}  ${line(title)}  ${line(checkpointId)}\n`);
    if (found.checkpoints.length === 0)
      terminal.note(name === undefined ? 'no checkpoints' : noCheckpoint(name).message);
    const end = offset + found.checkpoints.length;
    if (found.total > end) terminal.note(`${found.total - end} older: --offset ${end} shows them`);
  });
}

/** `mempalace checkpoint show`. @throws UserError `not-found` */
export function show(
  context: CommandContext,
  { pager }: CommonFlags & { pager: boolean },
  name: string,
): Promise<void> {
  const { terminal, folders } = context;
  return withService(context, async (service, call) => {
    const { checkpoints } = await service.checkpoints({ name, limit: 1, offset: 0 }, call);
    const [last] = checkpoints;
    if (last === undefined) throw noCheckpoint(name);
    terminal.json(checkpointDocument(last));
    if (terminal.options.json) return;
    const view = viewOf(terminal, folders.home);
    const { rows } = quote([{ speaker: TEXT, text: last.content }], view, { reflow: true });
    const head = [
      view.paint('dim', `checkpoint (${NOTICE})`),
      view.paint('dim', line(last.checkpointId)),
      '',
    ];
    await printLong(terminal, pager, [`${[...head, ...rows].join('\n').trimEnd()}\n`]);
  });
}
