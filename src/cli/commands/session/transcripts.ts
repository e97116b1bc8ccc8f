import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HARNESSES } from '../../../feeders/transcripts/harnesses/index.js';
import type {
  FiledConversations,
  Place,
  TranscriptOptions,
  TranscriptSurvey,
} from '../../../feeders/transcripts/options.js';
import { cleanedSkips, describeTranscript, stageTranscripts } from '../../../feeders/transcripts/stage.js';
import { surveyTranscripts } from '../../../feeders/transcripts/survey.js';
import type { Sanitiser } from '../../../sanitiser/index.js';
import { line, Terminal } from '../../../terminal/terminal.js';
import { type Fed, type Feed, feed, type Preview } from '../../app/feed.js';
import type { Known } from '../../app/known.js';
import type { FilingFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { shorten } from './dry-run.js';

interface TranscriptChoice {
  places: readonly Place[];
  /** If given, only these: absolute paths. */
  files?: readonly string[];
  since?: number | undefined;
  minMessages: number;
  wing: string | undefined;
  room: string | undefined;
  /** Whether it is a problem if no transcript is found. */
  required?: boolean;
}

/** Files the transcripts of these places. @param choice gets the palace if there is one */
export function feedTranscripts(
  choice: (palace: Known | undefined) => TranscriptChoice,
  run: Feed,
  context: CommandContext,
): Promise<Fed> {
  return feed<{ survey: TranscriptSurvey; options: TranscriptOptions }>(
    {
      unit: 'transcripts',
      async survey(palace, staging) {
        const { required = false, ...chosen } = choice(palace);
        const options: TranscriptOptions = {
          ...staging,
          ...chosen,
          filed: filedConversations(palace),
          forgotten: palace?.forgetting.keys(),
        };
        const survey = await surveyTranscripts(options);
        if (required && survey.candidates === 0) {
          const searched = `searched for files of ${HARNESSES.map(({ label }) => label).join(', ')}`;
          for (const { folder: origin } of chosen.places) {
            const database = join(origin, 'opencode.db');
            const detail = existsSync(database)
              ? `a database of opencode is filed with mempalace-session --db ${database}`
              : searched;
            survey.skipped.push({ origin, reason: 'no transcripts', detail, problem: true });
          }
        }
        return { survey, options };
      },
      stage: ({ survey, options }, progress) => stageTranscripts(survey, { ...options, ...progress }),
      preview: ({ survey, options }) => preview(survey, options.sanitiser, context.terminal),
    },
    run,
    context,
  );
}

/**
 * Files sessions of opencode, or one session of another program with its files, however short. The output goes to the log.
 *
 * @param checkpoints by the keys of sessions
 */
export async function feedNamed(
  named: { sessions: string[] } | { session: string; files: string[] },
  { command, flags, checkpoints }: Pick<Feed, 'command' | 'checkpoints'> & { flags: FilingFlags },
  context: CommandContext,
): Promise<Fed> {
  const { io, options, log } = context.terminal;
  const terminal = new Terminal(io, { ...options, json: false, quiet: true }, log);
  const silent = { ...context, terminal };
  if ('sessions' in named) {
    const { feedSessions } = await import('./run.js');
    const all = { minMessages: 0, subagents: true, backup: true, color: false };
    return feedSessions({ ...all, ...flags, session: named.sessions }, silent, { checkpoints });
  }
  const { session, files } = named;
  const scope = JSON.stringify({ session });
  const choice = { places: [], files, minMessages: 0, wing: undefined, room: undefined };
  return feedTranscripts(() => choice, { command, scope, narrowed: true, flags, checkpoints }, silent);
}

export function filedConversations(palace: Known | undefined): FiledConversations {
  return {
    get: (sourceKey) => palace?.sources.byKey(sourceKey),
    messagesOf(sourceKey) {
      const filed = palace?.sources.byKey(sourceKey);
      return filed === undefined ? [] : (palace?.sources.messagesOf(filed.id) ?? []);
    },
    messagesOfAll: (prefix) => palace?.sources.messagesBelow(prefix) ?? [],
  };
}

async function preview(
  { items, contained, skipped: found }: TranscriptSurvey,
  sanitiser: Sanitiser,
  terminal: Terminal,
): Promise<Preview> {
  const todo = items.filter(({ status }) => status !== 'unchanged');
  const sources = await Promise.all(
    todo.map(async (item) => {
      const { sourceFile, title = null, day = null, messages } = await describeTranscript(item, sanitiser);
      return { source_file: sourceFile, status: item.status, title, date: day, messages };
    }),
  );
  return {
    facts: { sources },
    statuses: items.map(({ status }) => status),
    removed: contained.length,
    skipped: await cleanedSkips(found, sanitiser),
    lines: sources.map(({ source_file, status, title, date, messages }) => {
      const columns = [date ?? '          ', status.padEnd(7), `${messages}`.padStart(4)];
      return `${columns.join('  ')}  ${shorten(line(title ?? ''))}  ${terminal.style('dim', line(source_file))}`;
    }),
  };
}
