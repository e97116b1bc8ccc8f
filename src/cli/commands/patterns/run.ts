import { NOTICE } from '../../../core/outside.js';
import { patternNotes, patternsJson, timesOf } from '../../../presentation/patterns.js';
import type { Patterns } from '../../../service/contract/index.js';
import { plural } from '../../../terminal/durations.js';
import { framedLines, joined, shownId, type View, viewOf } from '../../../terminal/labels.js';
import { printLong } from '../../../terminal/pager.js';
import { line } from '../../../terminal/terminal.js';
import { EXIT } from '../../app/exit.js';
import { withService } from '../../app/open-service.js';
import type { CommandContext } from '../../app/runner.js';
import { type PatternFlags, patternsConfig } from './config.js';

/** Lines of a message. */
const LINES = 4;

export async function runPatterns(context: CommandContext, flags: PatternFlags): Promise<number> {
  const { terminal, folders } = context;
  const asked = patternsConfig(flags, folders.home);
  return withService(context, async (service, call) => {
    const found = await service.patterns(asked, call);
    terminal.json(patternsJson(found));
    if (!terminal.options.json) {
      for (const note of patternNotes(found)) terminal.note(note);
      if (found.patterns.length > 0)
        await printLong(terminal, flags.pager, [
          renderPatterns(found, asked.offset, viewOf(terminal, folders.home)),
        ]);
    }
    return found.total === 0 && terminal.options.quiet ? EXIT.nothingFound : EXIT.done;
  });
}

/** Patterns with their occurrences. Ends in a line feed. */
export function renderPatterns({ patterns, total }: Patterns, offset: number, view: View): string {
  const { paint } = view;
  const rows = [paint('dim', `what recurs (${NOTICE})`), ''];
  for (const { kind, tool, text, count, occurrences } of patterns) {
    rows.push(paint('bold', joined(kind, timesOf({ kind, count }))));
    const lines = text.split('\n').slice(0, LINES);
    rows.push(
      ...framedLines(
        lines.map((each, index) => ['cyan', line(index === 0 && tool ? `${tool}: ${each}` : each)]),
        view,
      ),
    );
    for (const occurrence of occurrences) rows.push(...renderOccurrence(occurrence, view));
    if (count > occurrences.length)
      rows.push(paint('dim', `  … ${plural(count - occurrences.length, 'more')}`));
    rows.push('');
  }
  const rest = total - offset - patterns.length;
  if (rest > 0) rows.push(paint('dim', `… ${rest} more: --offset ${offset + patterns.length}`), '');
  return rows.join('\n');
}

function renderOccurrence(
  { drawerId, day, source, command, file, fix }: Patterns['patterns'][number]['occurrences'][number],
  view: View,
): string[] {
  const { paint } = view;
  const where = drawerId === null ? line(source) : shownId(drawerId, view);
  const fixed =
    fix === null
      ? []
      : [`fixed in ${shownId(fix.drawerId, view)}: ${fix.edits.join(', ') || 'nothing changed before'}`];
  return [
    `  ${paint('dim', joined(where, day))}`,
    ...framedLines(
      [command ?? file ?? '', ...fixed].map((each) => [undefined, line(each)]),
      view,
      2,
    ),
  ];
}
