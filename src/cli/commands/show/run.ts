import { resolve } from 'node:path';
import { UserError } from '../../../core/errors.js';
import { NOTICE } from '../../../core/outside.js';
import { drawerJson, passageText, sourceJson } from '../../../presentation/drawers.js';
import { UNKNOWN_SPEAKERS } from '../../../reading/speakers.js';
import { type TextLine, TranscriptLines } from '../../../reading/transcript.js';
import type { DrawerPlace, PalaceService, ServiceCall, Shown } from '../../../service/contract/index.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { type View, viewOf } from '../../terminal/labels.js';
import { printLong } from '../../terminal/pager.js';
import { TEXT } from '../../terminal/quote.js';
import { jsonText } from '../../terminal/terminal.js';
import { renderDrawer, renderLine, sourceHead } from '../../terminal/whole.js';

export interface ShowFlags extends CommonFlags {
  radius?: number;
  raw?: boolean;
  pager: boolean;
}

type ShownSource = Extract<Shown, { kind: 'source' }>;

export async function runShow(context: CommandContext, flags: ShowFlags, what: string): Promise<void> {
  const { terminal, folders } = context;
  return withService(context, async (service, call) => {
    const { radius = 0 } = flags;
    const found = await service.show({ name: what, paths: [resolve(what)], radius }, call);
    const view = viewOf(terminal, folders.home);
    if (found.kind === 'drawer') {
      if (flags.raw === true) terminal.io.stdout.write(passageText(found.passage));
      else if (terminal.options.json) terminal.json(placeJson(found));
      else await printLong(terminal, flags.pager, [renderDrawer(found, view)]);
      return;
    }
    if (flags.radius !== undefined) throw new UserError('usage', '--radius is for a drawer id');
    const pieces = piecesOf(found, service, call);
    if (flags.raw === true) await printLong(terminal, false, pieces);
    else if (terminal.options.json) await printLong(terminal, false, jsonOf(found, pieces));
    else await printLong(terminal, flags.pager, rendered(found, pieces, view));
  });
}

/** The text of a source. The palace may be elsewhere: it comes in parts. */
async function* piecesOf(
  { source: { sourceKey, hash, chars } }: ShownSource,
  service: PalaceService,
  call: ServiceCall,
): AsyncGenerator<string> {
  if (chars === 0) return;
  for (let from = { piece: 0, start: 0 }; ; ) {
    const { text, next } = await service.text({ sourceKey, hash, offset: from.start, chars: 1, from }, call);
    yield text;
    if (next === undefined) return;
    from = next;
  }
}

async function* rendered(
  { source, turns, dates }: ShownSource,
  pieces: AsyncIterable<string>,
  view: View,
): AsyncGenerator<string> {
  const unlabelled = source.kind === 'conversation' ? UNKNOWN_SPEAKERS : TEXT;
  const startsSpoken = turns?.some(({ role, start }) => start === 0 && role !== 'note') === true;
  yield sourceHead(source, view, turns === null ? unlabelled : startsSpoken ? undefined : 'note');
  const lines = new TranscriptLines(turns ?? [], dates);
  // Empty lines before a heading and at the end are not printed, since the heading adds one.
  let empty: string[] = [];
  const printed = (rows: Iterable<TextLine>): string => {
    let text = '';
    for (const row of rows) {
      const shown = renderLine(row, view);
      if (row.kind === 'text' && row.text.trim() === '') {
        empty.push(shown);
        continue;
      }
      if (row.kind === 'text') text += empty.join('');
      empty = [];
      text += shown;
    }
    return text;
  };
  for await (const piece of pieces) yield printed(lines.of(piece));
  yield printed(lines.end());
}

function placeJson({ drawer, count, passage, previous, next }: DrawerPlace): Record<string, unknown> {
  return {
    notice: NOTICE,
    kind: 'drawer',
    drawer: drawerJson(drawer),
    source: sourceJson(drawer, count),
    passage: {
      drawers: passage.map((other) => other.drawerId),
      text: passageText(passage),
    },
    previous,
    next,
  };
}

/** One JSON document; its last field, the text, is streamed. */
async function* jsonOf(
  { source, turns }: ShownSource,
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  const facts = {
    notice: NOTICE,
    kind: 'source',
    source: sourceJson(source, source.drawers),
    chars: source.chars,
    turns: turns?.map(({ role, start }) => [role, start]) ?? null,
  };
  yield `${jsonText(facts).slice(0, -1)},"text":"`;
  for await (const piece of pieces) yield jsonText(piece).slice(1, -1);
  yield '"}\n';
}
