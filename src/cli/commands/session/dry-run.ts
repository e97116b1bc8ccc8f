import { dayOf } from '../../../core/day.js';
import type { SessionOptions } from '../../../feeders/session/options.js';
import type { SessionSurvey } from '../../../feeders/session/survey.js';
import { transcriptOf } from '../../../feeders/session/transcript-of.js';
import { numbered } from '../../../platform/jsonl.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import type { Expected } from '../../app/estimate.js';
import type { Preview } from '../../app/feed.js';

type Item = SessionSurvey['items'][number];

const TITLE_CHARS = 60;

export function previewSessions(
  survey: SessionSurvey,
  options: Pick<SessionOptions, 'sanitiser' | 'force'>,
  terminal: Terminal,
): Preview {
  const sessions = survey.sessions();
  const { skipped } = survey;
  const todo = sessions.filter(({ status }) => options.force || status !== 'unchanged');
  return {
    facts: {
      sessions: sessions.map(({ session, title, directory, wing, room, messages, status }) => {
        const last_change = new Date(session.change.changedMs).toISOString();
        const date = dateOf(session);
        return { id: session.row.id, date, title, directory, wing, room, messages, status, last_change };
      }),
      skips: skipped,
    },
    statuses: sessions.map(({ status }) => status),
    removed: survey.contained.length,
    skipped,
    lines: sessions.map(({ session, status, messages, room, title }) => {
      const named = line(room).slice(0, 20).padEnd(20);
      const columns = [dateOf(session), status.padEnd(9), `${messages}`.padStart(4), named];
      return `${columns.join('  ')}  ${shorten(line(title))}  ${terminal.style('dim', session.row.id)}`;
    }),
    expected: todo.map((item) => expectedOf(item, options)),
    show: { examples: true },
  };
}

/** The day of its start. */
function dateOf({ row }: Item['session']): string {
  return dayOf(row.time_created);
}

function expectedOf(item: Item, { sanitiser }: Pick<SessionOptions, 'sanitiser'>): Expected {
  const { session, sourceKey, title, status } = item;
  return {
    name: shorten(line(title)),
    bytes: session.change.bytes,
    filed: status === 'new' ? undefined : sourceKey,
    async *segments() {
      const { conversationSegments } = await import('../../../miner/read/conversation.js');
      try {
        const { lines } = await transcriptOf(item, sanitiser);
        yield* conversationSegments({ path: numbered(lines) });
      } catch {
        // The run reports unreadable sessions. The estimate checks for interruptions itself.
      }
    },
  };
}

export function shorten(title: string): string {
  return title.length <= TITLE_CHARS ? title : `${title.slice(0, TITLE_CHARS - 1)}…`;
}
