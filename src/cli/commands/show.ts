import { resolve } from 'node:path';
import { UserError } from '../../core/errors.js';
import { jsonText, NOTICE } from '../../core/outside.js';
import { passageText } from '../../operations/drawer-fields.js';
import { ask } from '../../operations/operation.js';
import {
  type Asked,
  askedOf,
  drawerDocument,
  piecesOf,
  shownAs,
  sourceDocument,
} from '../../operations/reading/shown.js';
import { UNKNOWN_SPEAKERS } from '../../reading/speakers.js';
import { type TextLine, TranscriptLines } from '../../reading/transcript.js';
import type { PalaceService, ServiceCall, Shown, ShownSource } from '../../service/contract/index.js';
import { type View, viewOf } from '../../terminal/labels.js';
import { printLong } from '../../terminal/pager.js';
import { TEXT } from '../../terminal/quote.js';
import { line, type Terminal } from '../../terminal/terminal.js';
import { renderDrawer, renderLine, sourceHead } from '../../terminal/whole.js';
import { EXIT } from '../app/exit.js';
import { numbersAsIds } from '../app/last-found.js';
import { withService } from '../app/open-service.js';
import { countOption, createCommand, exclusiveFlag, type FlagsOf } from '../app/options.js';
import { action, type CommandContext } from '../app/runner.js';

const EXAMPLES = `
Examples:
  mempalace show 1                           the first hit of the last search
  mempalace show docs/handbook.md            a document, by the end of its path
  mempalace show docs/handbook.md:95:12      its passages from line 95 to 106
  mempalace show drawer_1f0c8a2e --radius 2  a passage and its neighbours
  mempalace show --around drawer_1f0c8a2e    what led to it, and what followed`;

export const command = createCommand('show', 'Print whole passages, documents or sessions')
  .usage('[options] <what...> | --around <id>')
  .argument('[what...]', 'drawer ids, numbers of hits, session ids, or source_files (or the ends of them)')
  .addOption(
    countOption('--radius <n>', 'for a drawer: passages to add on each side (default: 0; around it: 3)', 0),
  )
  .option('--around <id>', 'a drawer among its neighbours, and what else is of that day')
  .addOption(exclusiveFlag('--raw', 'print only the stored text, byte for byte', 'json', 'around'))
  .option('--no-pager', 'do not use a pager')
  .addHelpText('after', EXAMPLES);
command.action(action(runShow));

async function runShow(
  context: CommandContext,
  flags: FlagsOf<typeof command>,
  names: readonly string[],
): Promise<number | undefined> {
  const { terminal, folders } = context;
  if ((flags.around === undefined) === (names.length === 0))
    throw new UserError('usage', 'show takes names, or --around with the id of a drawer', {
      hint: 'mempalace show <what>, or mempalace show --around <drawer id>',
    });
  return withService(context, async (service, call) => {
    if (flags.around !== undefined) return printAround(flags.around, flags, context, service, call);
    const { radius = 0 } = flags;
    const printing = { terminal, flags, view: viewOf(terminal, folders.home), service, call };
    const shown = async (given: string) => {
      const [name = ''] = numbersAsIds([given], context);
      return shownAs(service, { name, paths: [resolve(name)], radius }, call);
    };
    const [what = ''] = names;
    if (names.length > 1) return printSeveral(askedOf(names, shown), printing);
    const found = await shown(what);
    const { json } = terminal.options;
    if (json && found.kind === 'drawer') terminal.json(drawerDocument(found));
    else await printLong(terminal, flags.pager && flags.raw !== true && !json, partsOf(found, printing));
    return;
  });
}

/** What `mempalace timeline` prints. */
async function printAround(
  what: string,
  { radius, pager }: FlagsOf<typeof command>,
  context: CommandContext,
  service: PalaceService,
  call: ServiceCall,
): Promise<undefined> {
  const { terminal, folders } = context;
  const { timeline } = (await import('../../operations/reading/timeline.js')).timeline;
  const [id = ''] = numbersAsIds([what], context);
  const input = timeline.input().parse({ id, radius });
  const document = await ask(service, timeline, input, call);
  terminal.json(document);
  if (terminal.options.json) return;
  const text = await timeline.long?.(document, viewOf(terminal, folders.home), input);
  await printLong(terminal, pager, [text ?? '']);
}

interface Printing {
  terminal: Terminal;
  flags: FlagsOf<typeof command>;
  view: View;
  service: PalaceService;
  call: ServiceCall;
}

/** Prints what is found, in the order of the names, and names the rest. @returns exit code 3 when something is not found */
async function printSeveral(asked: AsyncIterable<Asked>, printing: Printing): Promise<number> {
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

/** A source as a person reads it, in parts. */
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
