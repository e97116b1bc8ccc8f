import { expandHome } from '../../../config/texts.js';
import { NOTICE } from '../../../core/outside.js';
import { byFileJson, fileNotes, USES_SHOWN } from '../../../presentation/file-uses.js';
import type { ByFile } from '../../../service/contract/index.js';
import { plural } from '../../../terminal/durations.js';
import { framedLines, framedPlace, joined, shownId, type View, viewOf } from '../../../terminal/labels.js';
import { printLong } from '../../../terminal/pager.js';
import { line } from '../../../terminal/terminal.js';
import { EXIT } from '../../app/exit.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

export interface FileFlags extends CommonFlags {
  limit?: number;
  offset?: number;
  pager: boolean;
}

const SHOWN = 20;

export async function runFile(context: CommandContext, flags: FileFlags, path: string): Promise<number> {
  const { terminal, folders } = context;
  const { limit = SHOWN, offset = 0 } = flags;
  return withService(context, async (service, call) => {
    const found = await service.byFile(
      { file: expandHome(path, folders.home), limit, offset, uses: USES_SHOWN },
      call,
    );
    terminal.json(byFileJson(found));
    if (!terminal.options.json) {
      for (const note of fileNotes(found)) terminal.note(note);
      if (found.sources.length > 0)
        await printLong(terminal, flags.pager, [renderByFile(found, offset, viewOf(terminal, folders.home))]);
    }
    return found.total === 0 && terminal.options.quiet ? EXIT.nothingFound : EXIT.done;
  });
}

/** Sources with what was done to the file in each. Ends in a line feed. */
export function renderByFile({ sources, total }: ByFile, offset: number, view: View): string {
  const { paint } = view;
  const rows = [paint('dim', `sessions and documents (${NOTICE})`), ''];
  for (const source of sources) {
    const where = joined(line(`${source.wing} / ${source.room}`), source.day);
    const title = line(source.title ?? '') || line(source.sourceFile);
    rows.push(...framedPlace({ title, where, origin: source.origin }, view), ...renderUses(source, view), '');
  }
  const rest = total - offset - sources.length;
  if (rest > 0) rows.push(paint('dim', `… ${rest} more: --offset ${offset + sources.length}`), '');
  return rows.join('\n');
}

function renderUses({ uses, usesTotal }: ByFile['sources'][number], view: View): string[] {
  const { paint } = view;
  const rows = uses.flatMap(({ action, path, former, drawerId, day, lineStart }) => [
    `  ${paint('dim', joined(shownId(drawerId, view), day, `line ${lineStart}`))}`,
    ...framedLines([[undefined, line(`${action} ${former === null ? '' : `${former} → `}${path}`)]], view, 2),
  ]);
  if (usesTotal > uses.length)
    rows.push(paint('dim', `  … ${plural(usesTotal - uses.length, 'more passage')}`));
  return rows;
}
