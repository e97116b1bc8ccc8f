import { resolve } from 'node:path';
import { UserError } from '../../../core/errors.js';
import { NOTICE } from '../../../core/outside.js';
import { drawerJson, passageText, sourceJson, type TurnsOf } from '../../../presentation/drawers.js';
import {
  type DrawerPlace,
  findTarget,
  placeOf,
  transcriptLines,
  UNKNOWN_SPEAKERS,
} from '../../../reading/index.js';
import type { FiledSource, Palace } from '../../../store/index.js';
import { withPalace } from '../../app/open-palace.js';
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

/** Characters per write. */
const STRETCH = 64 * 1024;

export async function runShow(context: CommandContext, flags: ShowFlags, what: string): Promise<void> {
  const { terminal, folders } = context;
  return withPalace(context, async (palace) => {
    const target = findTarget(palace, what, [resolve(what)]);
    const view = viewOf(terminal, folders.home, palace);
    if (target.kind === 'drawer') {
      const place = placeOf(palace, target.drawer, flags.radius ?? 0);
      if (flags.raw === true) terminal.io.stdout.write(passageText(place.passage));
      else if (terminal.options.json) terminal.json(placeJson(place, view.turnsOf));
      else await printLong(terminal, flags.pager, [renderDrawer(place, view)]);
      return;
    }
    if (flags.radius !== undefined) throw new UserError('usage', '--radius is for a drawer id');
    const { source } = target;
    if (flags.raw === true) await printLong(terminal, false, palace.sources.snapshotTexts(source.id));
    else if (terminal.options.json) await printLong(terminal, false, jsonOf(source, palace));
    else await printLong(terminal, flags.pager, stretches(rendered(source, palace, view)));
  });
}

function* rendered(source: FiledSource, palace: Palace, view: View): Generator<string> {
  const conversation = source.kind === 'conversation';
  const turns = conversation ? palace.sources.turnsOf(source.id) : undefined;
  const dates = turns === undefined ? [] : palace.reading.datesOf(source.id);
  const lines = transcriptLines(palace.sources.snapshotTexts(source.id), turns ?? [], dates);
  const unlabelled = conversation ? UNKNOWN_SPEAKERS : TEXT;
  const startsSpoken = turns?.some(({ role, start }) => start === 0 && role !== 'note') === true;
  yield sourceHead(source, view, turns === undefined ? unlabelled : startsSpoken ? undefined : 'note');
  // Empty lines before a heading and at the end are not printed, since the heading adds one.
  let empty: string[] = [];
  for (const row of lines) {
    const text = renderLine(row, view);
    if (row.kind === 'text' && row.text.trim() === '') {
      empty.push(text);
      continue;
    }
    if (row.kind === 'text') yield* empty;
    empty = [];
    yield text;
  }
}

/** Joins small texts, since one write per line of a long source is slow. */
function* stretches(texts: Iterable<string>): Generator<string> {
  let buffer = '';
  for (const text of texts) {
    buffer += text;
    if (buffer.length < STRETCH) continue;
    yield buffer;
    buffer = '';
  }
  if (buffer !== '') yield buffer;
}

function placeJson(
  { drawer, count, passage, previous, next }: DrawerPlace,
  turnsOf: TurnsOf,
): Record<string, unknown> {
  return {
    notice: NOTICE,
    kind: 'drawer',
    drawer: drawerJson(drawer, turnsOf),
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
function* jsonOf(source: FiledSource, palace: Palace): Generator<string> {
  const facts = {
    notice: NOTICE,
    kind: 'source',
    source: sourceJson(source, source.drawers),
    chars: source.chars,
    turns: palace.sources.turnsOf(source.id)?.map(({ role, start }) => [role, start]) ?? null,
  };
  yield `${jsonText(facts).slice(0, -1)},"text":"`;
  for (const piece of palace.sources.snapshotTexts(source.id)) yield jsonText(piece).slice(1, -1);
  yield '"}\n';
}
