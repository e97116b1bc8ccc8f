import { UserError } from '../../../core/errors.js';
import { jsonText, NOTICE } from '../../../core/outside.js';
import { type Asked, drawerDocument, piecesOf, sourceDocument } from '../../../operations/reading/shown.js';
import { passageText } from '../../../presentation/drawers.js';
import type { PalaceService, ServiceCall, Shown } from '../../../service/contract/index.js';
import type { View } from '../../../terminal/labels.js';
import { printLong } from '../../../terminal/pager.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import { renderDrawer } from '../../../terminal/whole.js';
import { EXIT } from '../../app/exit.js';
import { rendered } from './rendered.js';
import type { ShowFlags } from './run.js';

interface Printing {
  terminal: Terminal;
  flags: Pick<ShowFlags, 'raw' | 'pager' | 'radius'>;
  view: View;
  service: PalaceService;
  call: ServiceCall;
}

/** Prints what is found, in the order of the names, and names the rest. @returns exit code 3 when something is not found */
export async function printSeveral(asked: AsyncIterable<Asked>, printing: Printing): Promise<number> {
  const { terminal, flags } = printing;
  const { json } = terminal.options;
  const missing: Asked[] = [];
  const texts = (async function* () {
    if (json && flags.raw !== true) yield `${jsonText({ notice: NOTICE }).slice(0, -1)},"shown":[`;
    let shown = 0;
    for await (const each of asked) {
      if (each.found === undefined) {
        missing.push(each);
        continue;
      }
      if (shown > 0 && flags.raw !== true) yield json ? ',' : '\n';
      shown += 1;
      yield* partsOf(each.found, printing);
    }
    const rows = missing.map(({ name, trouble }) => ({ name, reason: trouble?.message ?? '' }));
    if (json && flags.raw !== true) yield `],"not_shown":${jsonText(rows)}}\n`;
  })();
  await printLong(terminal, flags.pager && flags.raw !== true && !json, texts);
  for (const { trouble } of missing) terminal.warn(line(trouble?.message ?? ''));
  return missing.length > 0 ? EXIT.incomplete : EXIT.done;
}

async function* partsOf(found: Shown, { terminal, flags, view, service, call }: Printing) {
  const { json } = terminal.options;
  if (found.kind === 'drawer') {
    if (flags.raw === true) yield passageText(found.passage);
    else yield json ? jsonText(drawerDocument(found)) : renderDrawer(found, view);
    return;
  }
  if (flags.radius !== undefined) throw new UserError('usage', '--radius is for a drawer id');
  const pieces = piecesOf(found, service, call);
  if (flags.raw === true) yield* pieces;
  else yield* json ? sourceDocument(found, pieces) : rendered(found, pieces, view);
}
