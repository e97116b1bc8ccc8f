import type { SessionOptions, SessionSurvey } from '../../../feeders/session/index.js';
import type { Palace } from '../../../store/index.js';
import { type Expected, estimate, formatEstimate, formatLargest } from '../../app/estimate.js';
import { exitCodeFor } from '../../app/filing.js';
import { countReasons, printSkips, problemsOf } from '../../app/summary.js';
import { line, type Terminal } from '../../terminal/terminal.js';
import type { SessionConfig } from './config.js';

const TITLE_CHARS = 60;

/** What `mempalace-session --dry-run` prints. Returns the exit code. */
export async function printSessions(
  survey: SessionSurvey,
  config: SessionConfig,
  options: Pick<SessionOptions, 'sanitiser'> & { signal: AbortSignal },
  palace: Palace | undefined,
  terminal: Terminal,
): Promise<number> {
  try {
    const sessions = survey.sessions();
    const todo = sessions.filter((session) => config.filing.force || session.status !== 'unchanged');
    const expected = await estimate(expectedOf(survey, todo, options), palace, options.signal);
    const count = (status: string) => sessions.filter((session) => session.status === status).length;
    const summary = {
      command: 'mempalace-session',
      dry_run: true,
      sessions: sessions.map((session) => ({
        id: session.id,
        date: session.date,
        title: session.title,
        directory: session.directory,
        wing: session.wing,
        room: session.room,
        messages: session.messages,
        status: session.status,
        last_change: new Date(session.changedMs).toISOString(),
      })),
      skips: survey.skipped,
      new: count('new'),
      changed: count('grown'),
      unchanged: count('unchanged'),
      removed: survey.contained.length,
      skipped: survey.skipped.length,
      skipped_by_reason: countReasons(survey.skipped),
      problems: problemsOf(survey.skipped),
      drawers_added: 0,
      drawers_total: palace?.drawerCount() ?? 0,
      drawers_estimated: expected.drawers,
      seconds_estimated: expected.seconds,
      largest: expected.largest,
    };
    if (terminal.options.json) {
      terminal.json(summary);
      return exitCodeFor(survey.skipped);
    }
    for (const { date, status, messages, room, title, id } of summary.sessions) {
      const columns = [date, status.padEnd(9), `${messages}`.padStart(4), line(room).slice(0, 20).padEnd(20)];
      terminal.say(`${columns.join('  ')}  ${shorten(line(title))}  ${terminal.style('dim', id)}`);
    }
    printSkips(terminal, survey.skipped, { examples: true });
    terminal.say(
      `would file: ${summary.new} new, ${summary.changed} grown, ${summary.unchanged} unchanged, ${summary.skipped} skipped`,
    );
    terminal.say(formatEstimate(expected));
    const largest = formatLargest(expected);
    if (largest !== undefined) terminal.say(largest);
    return exitCodeFor(survey.skipped);
  } finally {
    survey.close();
  }
}

/** The sessions as the run would transcribe and cut them. */
function expectedOf(
  { work }: SessionSurvey,
  sessions: ReturnType<SessionSurvey['sessions']>,
  { sanitiser }: Pick<SessionOptions, 'sanitiser'>,
): Expected[] {
  const items = new Map(work.items.map((item) => [item.sourceKey, item]));
  return sessions.flatMap(({ sourceKey, title, status, estimatedChars }) => {
    const item = items.get(sourceKey);
    if (item === undefined) return [];
    async function* segments(work: NonNullable<typeof item>) {
      const [{ transcriptOf }, { conversationSegments }] = await Promise.all([
        import('../../../feeders/session/index.js'),
        import('../../../miner/segments.js'),
      ]);
      try {
        const { lines } = await transcriptOf(work, work.decision, sanitiser);
        yield* conversationSegments({ path: numbered(lines) });
      } catch {
        // What the run says of a session that cannot be read; an interruption is seen by who asked for this.
      }
    }
    return [
      {
        name: shorten(line(title)),
        bytes: estimatedChars,
        filed: status === 'new' ? undefined : sourceKey,
        segments: () => segments(item),
      },
    ];
  });
}

async function* numbered(lines: AsyncIterable<string>) {
  let number = 0;
  for await (const text of lines) {
    number += 1;
    yield { number, text };
  }
}

function shorten(title: string): string {
  return title.length <= TITLE_CHARS ? title : `${title.slice(0, TITLE_CHARS - 1)}…`;
}
