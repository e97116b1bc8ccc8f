import { resolve } from 'node:path';
import { UserError } from '../../../core/errors.js';
import {
  askedOf,
  drawerDocument,
  piecesOf,
  shownAs,
  sourceDocument,
} from '../../../operations/reading/shown.js';
import { passageText } from '../../../presentation/drawers.js';
import { viewOf } from '../../../terminal/labels.js';
import { printLong } from '../../../terminal/pager.js';
import { renderDrawer } from '../../../terminal/whole.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { rendered } from './rendered.js';

export interface ShowFlags extends CommonFlags {
  radius?: number;
  raw?: boolean;
  pager: boolean;
}

export async function runShow(
  context: CommandContext,
  flags: ShowFlags,
  names: readonly string[],
): Promise<number | undefined> {
  const { terminal, folders } = context;
  return withService(context, async (service, call) => {
    const { radius = 0 } = flags;
    const view = viewOf(terminal, folders.home);
    const ask = (name: string) => shownAs(service, { name, paths: [resolve(name)], radius }, call);
    const [what = ''] = names;
    if (names.length > 1) {
      const { printSeveral } = await import('./several.js');
      return printSeveral(askedOf(names, ask), { terminal, flags, view, service, call });
    }
    const found = await ask(what);
    if (found.kind === 'drawer') {
      if (flags.raw === true) terminal.io.stdout.write(passageText(found.passage));
      else if (terminal.options.json) terminal.json(drawerDocument(found));
      else await printLong(terminal, flags.pager, [renderDrawer(found, view)]);
      return;
    }
    if (flags.radius !== undefined) throw new UserError('usage', '--radius is for a drawer id');
    const pieces = piecesOf(found, service, call);
    if (flags.raw === true) await printLong(terminal, false, pieces);
    else if (terminal.options.json) await printLong(terminal, false, sourceDocument(found, pieces));
    else await printLong(terminal, flags.pager, rendered(found, pieces, view));
  });
}
