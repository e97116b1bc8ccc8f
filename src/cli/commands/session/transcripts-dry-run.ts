import type { TranscriptSurvey } from '../../../feeders/transcripts/index.js';
import type { Sanitiser } from '../../../sanitiser/index.js';
import type { Palace } from '../../../store/index.js';
import { exitCodeFor } from '../../app/filing.js';
import { countReasons, printSkips, problemsOf } from '../../app/summary.js';
import { line, type Terminal } from '../../terminal/terminal.js';

const TITLE_CHARS = 60;

/** What filing these transcripts would do, from a survey alone. Returns the exit code. */
export async function printTranscripts(
  survey: TranscriptSurvey,
  options: { command: string; palace: Palace | undefined; sanitiser: Sanitiser },
  terminal: Terminal,
): Promise<number> {
  const { command, palace, sanitiser } = options;
  const { cleanedSkips, describeTranscript } = await import('../../../feeders/transcripts/index.js');
  const { items, contained } = survey;
  const skipped = await cleanedSkips(survey.skipped, sanitiser);
  const todo = items.filter(({ status }) => status !== 'unchanged');
  const added = todo.filter(({ status }) => status === 'new').length;
  const sources = await Promise.all(
    todo.map(async (item) => {
      const { sourceFile, title, day, messages } = await describeTranscript(item, sanitiser);
      const status = item.status === 'new' ? 'new' : 'changed';
      return { source_file: sourceFile, status, title: title ?? null, date: day ?? null, messages };
    }),
  );
  const result = {
    command,
    dry_run: true,
    sources,
    new: added,
    changed: todo.length - added,
    unchanged: items.length - todo.length,
    removed: contained.length,
    skipped: skipped.length,
    skipped_by_reason: countReasons(skipped),
    problems: problemsOf(skipped),
    drawers_added: 0,
    drawers_total: palace?.drawerCount() ?? 0,
  };
  if (terminal.options.json) {
    terminal.json(result);
  } else {
    for (const { source_file, status, title, date, messages } of sources) {
      const columns = [date ?? '          ', status.padEnd(7), `${messages}`.padStart(4)];
      terminal.say(
        `${columns.join('  ')}  ${shorten(line(title ?? ''))}  ${terminal.style('dim', line(source_file))}`,
      );
    }
    printSkips(terminal, skipped);
    terminal.say(
      `would file: ${result.new} new, ${result.changed} changed, ${result.unchanged} unchanged, ${result.removed} removed`,
    );
  }
  return exitCodeFor(skipped);
}

function shorten(title: string): string {
  return title.length <= TITLE_CHARS ? title : `${title.slice(0, TITLE_CHARS - 1)}…`;
}
