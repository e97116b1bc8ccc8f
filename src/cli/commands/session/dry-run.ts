import type { SessionOptions, SessionSurvey } from '../../../feeders/session/index.js';
import type { Expected } from '../../app/estimate.js';
import type { Preview } from '../../app/feed.js';
import { line, type Terminal } from '../../terminal/terminal.js';
import type { SessionConfig } from './config.js';

const TITLE_CHARS = 60;

export function previewSessions(
  survey: SessionSurvey,
  config: SessionConfig,
  options: Pick<SessionOptions, 'sanitiser'>,
  terminal: Terminal,
): Preview {
  const sessions = survey.sessions();
  const { skipped } = survey;
  const todo = sessions.filter(({ status }) => config.filing.force || status !== 'unchanged');
  const count = (status: string) => sessions.filter((session) => session.status === status).length;
  return {
    facts: {
      sessions: sessions.map(({ id, date, title, directory, wing, room, messages, status, changedMs }) => {
        const last_change = new Date(changedMs).toISOString();
        return { id, date, title, directory, wing, room, messages, status, last_change };
      }),
      skips: skipped,
    },
    counts: {
      new: count('new'),
      changed: count('grown'),
      unchanged: count('unchanged'),
      removed: survey.contained.length,
    },
    skipped,
    lines: sessions.map(({ date, status, messages, room, title, id }) => {
      const columns = [date, status.padEnd(9), `${messages}`.padStart(4), line(room).slice(0, 20).padEnd(20)];
      return `${columns.join('  ')}  ${shorten(line(title))}  ${terminal.style('dim', id)}`;
    }),
    expected: expectedOf(survey, todo, options),
    show: { examples: true },
  };
}

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
      const [{ transcriptOf }, { conversationSegments }, { numbered }] = await Promise.all([
        import('../../../feeders/session/index.js'),
        import('../../../miner/read/conversation.js'),
        import('../../../platform/jsonl.js'),
      ]);
      try {
        const { lines } = await transcriptOf(work, work.decision, sanitiser);
        yield* conversationSegments({ path: numbered(lines) });
      } catch {
        // The run reports unreadable sessions. The estimate checks for interruptions itself.
      }
    }
    const filed = status === 'new' ? undefined : sourceKey;
    return [{ name: shorten(line(title)), bytes: estimatedChars, filed, segments: () => segments(item) }];
  });
}

export function shorten(title: string): string {
  return title.length <= TITLE_CHARS ? title : `${title.slice(0, TITLE_CHARS - 1)}…`;
}
